import { defineProgram } from "@swarm/core";
import { z } from "zod";
import { stepFault } from "../step-fault.ts";

/** Runs every suite on the code as it stands. Plain code: no model call, no token. Its fault is the condensed failure. */
export const runTests = defineProgram({
  name: "run-tests",
  input: z.strictObject({}),
  output: z.strictObject({ testsPassed: z.int().nonnegative() }),
  async attempt(context) {
    const report = await context.test();
    const fault = stepFault(report, context.suites, null);
    return fault ? context.fail(fault) : context.done({ testsPassed: report.tests.length });
  },
});
