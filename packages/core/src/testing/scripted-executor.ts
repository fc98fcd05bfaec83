import { strict as assert } from "node:assert";
import type { Done } from "../contracts/done.ts";
import type { Executor } from "../contracts/executor.ts";
import type { Json } from "../contracts/json.ts";
import type { Step } from "../contracts/step.ts";
import { SwarmError } from "../errors.ts";

/** An executor that performs nothing and gives each step the result that its script has for its id. */
export interface ScriptedExecutor extends Executor {
  /** The steps that it was given, in their order. */
  readonly steps: readonly Step[];
  /** Fails when a result of the script was never asked for. */
  assertComplete(): void;
}

/** Results by step id, such as `run/plan`. A snapshot that is not named is the step's own. */
export function scriptedExecutor(
  script: Record<string, Done<Json> & { snapshot?: string; attempts?: number }>,
): ScriptedExecutor {
  const steps: Step[] = [];
  return {
    specificationVersion: "v1",
    steps,
    async runStep(step) {
      steps.push(step);
      const result = script[step.stepId];
      if (!result) throw new SwarmError("SCRIPT_EXHAUSTED", `the script has no result for step ${step.stepId}`);
      return { stepId: step.stepId, attempts: 1, snapshot: step.snapshot, ...result };
    },
    assertComplete() {
      const missed = Object.keys(script).filter((stepId) => !steps.some((step) => step.stepId === stepId));
      assert.deepEqual(missed, [], "results that were never asked for");
    },
  };
}
