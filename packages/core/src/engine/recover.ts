import type { AttemptOrder, AttemptResult, Step, StepResult } from "../contracts/step.ts";

/**
 * The retry loop: attempts from the step's snapshot, each after the first with the hint of the one before, until one
 * succeeds, its fault is not retryable, or `maxRetries` are spent. Pure control flow; an executor may replace it.
 */
export async function recover(
  step: Step,
  attempt: (order: AttemptOrder) => Promise<AttemptResult>,
): Promise<StepResult> {
  let hint = step.variant?.hint ?? null;
  for (let count = 0; ; count++) {
    const { snapshot, hint: next, ...done } = await attempt({ step, attempt: count, hint });
    const result = { stepId: step.stepId, attempts: count + 1, snapshot };
    if (done.ok || !done.fault.retryable || count >= step.maxRetries) return { ...result, ...done };
    hint = next;
  }
}
