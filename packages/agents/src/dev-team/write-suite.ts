import { defineProgram, JsonObjectSchema } from "@swarm/core";
import { z } from "zod";
import { MessageSchema } from "../a2a/message.ts";
import { messagesIn } from "../a2a/messages-in.ts";
import { headOf, material } from "../material.ts";
import { askFor } from "../structured.ts";
import { QaAssignmentSchema } from "./assignment.ts";
import { QaSuiteSchema, qaSuiteFor } from "./qa-suite.ts";
import { taskText } from "./task-text.ts";

const FORM =
  '{"runner":"pytest","setup":"from module import name","tests":[{"name":"test_what_is_expected","criteria":["AC1"],"code":"def test_what_is_expected():\\n    assert name(1) == 2"}],"notes":""}';
const MOST_FILES = 200;
/** The answer, and one more where that was cut off or does not fit. */
const CALLS = { maxCalls: 2, maxReasks: 1 };

/** QA writes the suite of a task from its criteria, and once more where the oracle did not admit it. */
export const writeSuite = defineProgram({
  name: "write-suite",
  input: QaAssignmentSchema.extend({
    inbox: z.array(MessageSchema),
    refused: z.strictObject({ suite: QaSuiteSchema, reason: z.string() }).nullable(),
  }),
  output: z.strictObject({ suite: QaSuiteSchema, outbox: z.array(JsonObjectSchema) }),
  async attempt(context, { task, criteria, inbox, refused }) {
    const requests = inbox.flatMap((message) => (message.intent === "review_request" ? [message.payload] : []));
    const prompt = [
      material("requirement", context.task.prompt),
      material("task", taskText(task, criteria), task.id),
      ...requests.map(({ files, entryPoint }) => {
        const told = [{ entryPoint }, ...files].map((one) => JSON.stringify(one));
        return material("delivered", headOf(told, MOST_FILES));
      }),
      ...(refused ? [material("refused", JSON.stringify(refused.suite)), material("reason", refused.reason)] : []),
      refused
        ? "Your tests were not accepted, for the reason above. Write the whole suite again, mended."
        : `Write the tests of the task ${task.id}.`,
      `Answer in the form ${FORM}. In "notes" say what you could not test, if anything.`,
    ].join("\n\n");
    const schema = qaSuiteFor(criteria.map(({ id }) => id));
    const cacheable = context.attempt === 0;
    const answer = await askFor(context.role("qa"), schema, prompt, { ...CALLS, cacheable });
    if (!answer.ok) return context.fail(answer.fault);
    return context.done({ suite: answer.output, outbox: messagesIn(answer.output.notes) });
  },
});
