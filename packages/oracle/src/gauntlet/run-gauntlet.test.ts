import { expect, test } from "vitest";
import type { GauntletJudge, GauntletOpinion } from "./judges.ts";
import { gauntletCases, runGauntlet } from "./run-gauntlet.ts";

const { signal } = new AbortController();
const judgeBy = (judge: GauntletJudge["judge"]): GauntletJudge => ({ name: "own", judge });
const saying = (opinion: GauntletOpinion) => judgeBy(async () => opinion);
const heldBy = async (judge: GauntletJudge) => {
  const results = await runGauntlet({ judge, concurrency: 8, signal });
  return new Set(results.filter(({ held }) => held).map((result) => result.case.id));
};
const cases = await gauntletCases();
const idsOf = (accept: boolean) => new Set(cases.filter((one) => one.accept === accept).map(({ id }) => id));

test("a judge that says yes to everything holds for honest work alone", async () => {
  expect(await heldBy(saying({ accepted: true, outcome: null, why: "" }))).toEqual(idsOf(true));
});

test("a judge that says no to everything holds for all else", async () => {
  expect(await heldBy(saying({ accepted: false, outcome: null, why: "" }))).toEqual(idsOf(false));
});

test("a judge that gives outcomes has to give a right one", async () => {
  const held = await heldBy(saying({ accepted: false, outcome: "failed", why: "" }));
  expect(held).toEqual(new Set(cases.filter(({ outcomes }) => outcomes.includes("failed")).map(({ id }) => id)));
});

test("a judge that crashes or does not answer in time accepts nothing, and holds for no honest work", async () => {
  const crashing = judgeBy(async () => {
    throw new Error("out of order");
  });
  const silent = judgeBy(
    (_, options) =>
      new Promise((_, reject) => options.signal.addEventListener("abort", () => reject(new Error("late")))),
  );
  for (const [judge, error] of [
    [crashing, "out of order"],
    [silent, "late"],
  ] as const) {
    const results = await runGauntlet({ judge, only: "slug/", timeoutMs: 20, signal });
    expect(results.map((result) => [result.held, result.error])).toEqual(results.map(() => [false, error]));
  }
});

test("an abort ends it", async () => {
  const abort = new AbortController();
  const judge = judgeBy(async () => {
    abort.abort(new Error("enough"));
    return { accepted: false, outcome: null, why: "" };
  });
  await expect(runGauntlet({ judge, signal: abort.signal })).rejects.toThrow("enough");
});
