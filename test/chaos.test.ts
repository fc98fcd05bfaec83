import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Trajectory } from "@swarm/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CASES, tryCase } from "./chaos/cases.ts";
import { type EXECUTORS, undisturbed } from "./chaos/site.ts";

// A sample; `npm run -s bench -- chaos` does all of it.
const SAMPLE = [
  ["kill", "process"],
  ["kill", "bullmq"],
  ["kill", "restate"],
  ["cut", "http"],
  ["disk", "http"],
  ["full", "bullmq"],
] as const satisfies readonly (readonly [(typeof CASES)[number], (typeof EXECUTORS)[number]])[];
const seed = 6;

const folder = mkdtempSync(join(tmpdir(), "swarm-chaos-"));
let whole: Trajectory;
beforeAll(async () => {
  whole = await undisturbed(folder);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a run whose steps are elsewhere comes to the verdict, the files and the events of one that nothing disturbed, or says why not", () => {
  test.each(SAMPLE)("%s, %s", async (name, executor) => {
    const tried = await tryCase(name, { executor, folder, whole, most: 1, seed });
    if (typeof tried === "string") return console.warn(`${name} WAS NOT TRIED WITH ${executor} HERE: ${tried}`);
    expect(tried.problems).toEqual([]);
    expect([...tried.ended]).toEqual([[name === "full" ? "infra-error" : whole.verdict.outcome, 1]]);
  });
});
