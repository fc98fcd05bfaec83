import type { StepResult } from "../contracts/step.ts";

/** The first run that succeeds with its place, or the last that failed. Rejects when none of them came to a result. */
export async function firstSuccess<O>(runs: readonly Promise<StepResult<O>>[]): Promise<[number, StepResult<O>]> {
  const { promise, resolve } = Promise.withResolvers<[number, StepResult<O>] | null>();
  const ended = runs.map(async (run, index) => {
    const result = await run;
    if (result.ok) resolve([index, result]);
    return [index, result] as [number, StepResult<O>];
  });
  const all = Promise.allSettled(ended).then((settled) => {
    resolve(null);
    return settled;
  });
  const won = await promise;
  if (won) return won;
  const settled = await all;
  const failed = settled.findLast((result) => result.status === "fulfilled");
  if (failed) return failed.value;
  throw settled.find((result) => result.status === "rejected")?.reason;
}
