import type { Executor, StepHost } from "../contracts/executor.ts";
import type { Step, StepResult } from "../contracts/step.ts";
import { perform } from "./perform.ts";
import { recover } from "./recover.ts";

/** Runs steps in this process. */
export class LocalExecutor implements Executor {
  readonly specificationVersion = "v1";

  runStep(step: Step, host: StepHost): Promise<StepResult> {
    return recover(step, async (order) => perform(order, await host.site(), host));
  }
}
