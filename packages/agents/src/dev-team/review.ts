import { defineProgram, FrozenSuiteSchema, JsonObjectSchema, type TestReport } from "@swarm/core";
import { failureText } from "@swarm/oracle";
import { z } from "zod";
import { type Failure, FailureSchema, type Message, MessageSchema } from "../a2a/message.ts";
import { headOf } from "../material.ts";
import { QaAssignmentSchema } from "./assignment.ts";
import { failuresIn, WHOLE_RUN } from "./judge-suites.ts";
import { QaManifestSchema } from "./qa-suite.ts";

const MOST_INSTRUCTION = 6_000;
const MOST_OTHERS = 40;

/**
 * QA runs the suites of this and of all earlier approved tasks on the work, in one run, and answers the request: approved, what to
 * fix, or that it will not look again. Plain code: no model has a word in it.
 */
export const review = defineProgram({
  name: "review",
  input: QaAssignmentSchema.extend({
    inbox: z.array(MessageSchema),
    /** What has to pass: the suites of earlier approved tasks, then this task's. Null where there is no suite of this task. */
    suites: z.array(QaManifestSchema).min(1).nullable(),
    /** This task's suite while it is not frozen yet. */
    draft: FrozenSuiteSchema.nullable(),
    /** Whether no fix may follow. */
    last: z.boolean(),
  }),
  output: z.strictObject({
    outbox: z.array(JsonObjectSchema),
    failures: z.array(FailureSchema),
    /** Whether the tests ran. */
    tested: z.boolean(),
  }),
  async attempt(context, { task, round, correlationId, inbox, suites, draft, last }) {
    const envelope = { sender: "qa", receiver: "coder", taskId: task.id, correlationId };
    const final = (reason: "no_suite" | "no_revision") => {
      const message: Message = { ...envelope, intent: "final_report", payload: { round, reason, failures: [] } };
      return context.done({ outbox: [message], failures: [], tested: false });
    };
    if (isUnrevised(inbox)) return final("no_revision");
    if (suites === null) return final("no_suite");

    const ids = suites.map(({ id }) => id);
    const report = await context.test(ids.map((id) => (id === draft?.id ? draft : id)));
    const failures = failuresIn(report, suites);
    const testsPassed = report.tests.length;
    const instruction = instructionFor(report, failures);
    const message: Message =
      failures.length === 0
        ? { ...envelope, intent: "approved", payload: { round, testsPassed, suites: ids } }
        : last
          ? { ...envelope, intent: "final_report", payload: { round, reason: "rounds_spent", failures } }
          : { ...envelope, intent: "fix_instruction", payload: { round, failures, instruction } };
    return context.done({ outbox: [message], failures, tested: true });
  },
});

/** Whether the coder was to change something and did not. */
export function isUnrevised(inbox: readonly Message[]): boolean {
  return inbox.some((message) => message.intent === "review_request" && message.payload.revision === "no_revision");
}

/** The failures, condensed, and then what has to pass and did not run. */
function instructionFor(report: TestReport, failures: readonly Failure[]): string {
  const condensed = failureText(report, MOST_INSTRUCTION);
  const failed = report.tests.filter(({ status }) => status === "failed" || status === "error").map(({ id }) => id);
  const others = failures.filter(({ test }) => !failed.includes(test) && test !== WHOLE_RUN);
  const listed = headOf(
    others.map(({ test, message }) => `${test}: ${message}`),
    MOST_OTHERS,
  );
  return [condensed, listed].filter((text) => text !== "").join("\n");
}
