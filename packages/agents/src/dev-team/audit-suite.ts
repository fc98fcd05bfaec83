import { defineProgram, JsonObjectSchema } from "@swarm/core";
import { z } from "zod";
import { FailureSchema } from "../a2a/message.ts";
import { messagesIn } from "../a2a/messages-in.ts";
import { headOf, material } from "../material.ts";
import { askFor } from "../structured.ts";
import { QaAssignmentSchema } from "./assignment.ts";
import { AuditSchema, auditOf } from "./correction.ts";
import { QaSuiteSchema } from "./qa-suite.ts";
import { taskText } from "./task-text.ts";

const FORM =
  '{"corrections":[{"test":"test_what_is_expected","reason":"AC1 says …, and the test expects …","code":"def test_what_is_expected():\\n    …"}],"setup":null,"notes":""}';
const MOST_FAILURES = 40;
const CALLS = { maxCalls: 2, maxReasks: 1 };

/** QA holds its own failing tests against the criteria, once, before the suite freezes. */
export const auditSuite = defineProgram({
  name: "audit-suite",
  input: QaAssignmentSchema.extend({
    suite: QaSuiteSchema,
    failures: z.array(FailureSchema),
    /** Names of the tests that failed. */
    failing: z.array(z.string()),
  }),
  output: z.strictObject({ audit: AuditSchema, outbox: z.array(JsonObjectSchema) }),
  async attempt(context, { task, criteria, suite, failures, failing }) {
    const prompt = [
      material("task", taskText(task, criteria), task.id),
      material("setup", suite.setup),
      ...suite.tests.filter(({ name }) => failing.includes(name)).map(({ name, code }) => material("test", code, name)),
      material(
        "failures",
        headOf(
          failures.map((failure) => JSON.stringify(failure)),
          MOST_FAILURES,
        ),
      ),
      `These tests of yours failed on the coder's work. Hold each against the criteria, not against the code: where the criteria do not say what a test expects, the test is wrong, and you replace it under the same name by one that follows from them. Leave a test that is right as it is, whatever the work does; where all are right, there are no corrections. "setup" replaces the setup, where that is wrong. Answer in the form ${FORM}`,
    ].join("\n\n");
    const answer = await askFor(context.role("qa"), auditOf(suite, failing), prompt, { ...CALLS, cacheable: true });
    if (!answer.ok) return context.fail(answer.fault);
    return context.done({ audit: answer.output, outbox: messagesIn(answer.output.notes) });
  },
});
