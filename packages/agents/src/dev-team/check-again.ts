import { defineProgram } from "@swarm/core";
import { z } from "zod";
import { FailureSchema } from "../a2a/message.ts";
import { failuresIn } from "./judge-suites.ts";
import { QaManifestSchema } from "./qa-suite.ts";

/** Every approved suite once more on the final workspace. Plain code. */
export const checkAgain = defineProgram({
  name: "check-again",
  input: z.strictObject({ suites: z.array(QaManifestSchema) }),
  output: z.strictObject({ broken: z.array(z.strictObject({ id: z.string(), failures: z.array(FailureSchema) })) }),
  async attempt(context, { suites }) {
    const broken: { id: string; failures: ReturnType<typeof failuresIn> }[] = [];
    for (const suite of suites) {
      const failures = failuresIn(await context.test([suite.id]), [suite]);
      if (failures.length > 0) broken.push({ id: suite.id, failures });
    }
    return context.done({ broken });
  },
});
