import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OUTCOMES, type Trajectory } from "@swarm/core";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { chaosRun, conformanceRun, cutAfter } from "../../test/runs.ts";
import { factsOf, type RunFacts } from "../run/facts.ts";
import { type RunFilter, refusedBy } from "../run/filter.ts";
import { askIndex, INDEX_FILE, type IndexOptions, SORTS, type Sort } from "./run-index.ts";

const folder = mkdtempSync(join(tmpdir(), "swarm-index-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs of several kinds, by the name of their log. */
const runs = new Map<string, Trajectory>();
let facts: RunFacts[];

beforeAll(async () => {
  const good = await conformanceRun({ runId: "good" });
  runs.set("good", good.run);
  runs.set("bad", (await conformanceRun({ broken: true, runId: "bad" })).run);
  for (const count of [0, 1, 9, 25, good.run.events.length - 1]) runs.set(`cut-${count}`, cutAfter(good, count).run);
  for (const seed of [1, 2, 3, 4, 5, 6]) runs.set(`chaos-${seed}`, (await chaosRun(seed)).run);
  facts = [...runs.values()].map(factsOf);
}, 120_000);

beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const [name, run] of runs) writeFileSync(join(folder, `${name}.jsonl`), run.toJsonl());
});

/** How many logs were read, and what the index holds then. */
async function refreshed(options: IndexOptions = {}) {
  let read = 0;
  const held = await askIndex(folder, (index) => ({ count: index.count(), problems: index.problems() }), {
    onProgress: (_done, total) => {
      read = total;
    },
    ...options,
  });
  return { read, ...held };
}

describe("an index", () => {
  test("reads each log once, and again when it has changed", async () => {
    const all = { count: runs.size, problems: [] };
    expect(await refreshed()).toEqual({ read: runs.size, ...all });
    expect(await refreshed()).toEqual({ read: 0, ...all });
    writeFileSync(join(folder, "cut-9.jsonl"), runs.get("good")!.toJsonl());
    expect(await refreshed()).toEqual({ read: 1, ...all });
    const log = join(folder, "good.jsonl");
    utimesSync(log, statSync(log).atime, new Date(0));
    expect(await refreshed()).toEqual({ read: 1, ...all });
    rmSync(log);
    expect(await refreshed()).toEqual({ read: 0, count: runs.size - 1, problems: [] });
    rmSync(join(folder, INDEX_FILE));
    expect((await refreshed()).read).toBe(runs.size - 1);
  });

  test("names a log that is damaged, and leaves it out", async () => {
    const lines = runs.get("bad")!.toJsonl().split("\n");
    lines[4] = "{}";
    writeFileSync(join(folder, "bad.jsonl"), lines.join("\n"));
    writeFileSync(join(folder, "empty.jsonl"), "");
    symlinkSync("loop.jsonl", join(folder, "loop.jsonl"));
    expect(await refreshed()).toEqual({
      read: runs.size + 2,
      count: runs.size - 1,
      problems: [
        { log: "bad.jsonl", problem: expect.stringMatching(/line 5/) },
        { log: "empty.jsonl", problem: expect.any(String) },
        { log: "loop.jsonl", problem: expect.stringMatching(/^ELOOP/) },
      ],
    });
  });

  test.each([
    ["no database", () => Buffer.from("this is no database, and it is long enough to be looked at".repeat(20))],
    ["cut off", (file: Buffer) => file.subarray(0, 5000)],
    ["overwritten in the middle", (file: Buffer) => Buffer.from(file).fill(0xff, 4096)],
    [
      "of another version",
      (file: Buffer) => Buffer.concat([file.subarray(0, 60), Buffer.from([0, 0, 0, 77]), file.subarray(64)]),
    ],
  ])("that is %s is made again", async (_what, damage) => {
    await refreshed();
    writeFileSync(join(folder, INDEX_FILE), damage(readFileSync(join(folder, INDEX_FILE))));
    expect(await refreshed()).toEqual({ read: runs.size, count: runs.size, problems: [] });
    expect((await refreshed()).read).toBe(0);
  });

  test("that cannot be kept is made for this once", async () => {
    mkdirSync(join(folder, INDEX_FILE));
    const told: string[] = [];
    const found = await refreshed({ onUnkept: (problem) => told.push(problem) });
    expect(found).toEqual({ read: runs.size, count: runs.size, problems: [] });
    expect(told).toHaveLength(1);
  });

  test("may be asked by many at once", async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => refreshed()));
    expect(all.map(({ count }) => count)).toEqual(Array.from({ length: 5 }, () => runs.size));
  });
});

const filters: fc.Arbitrary<RunFilter> = fc.record(
  {
    outcomes: fc.subarray([...OUTCOMES, "unfinished"] as const, { minLength: 1 }),
    signature: fc.constantFrom("CheckFailed", "|write|", "nothing", "%", "'"),
    team: fc.constantFrom("conformance", "codeswarm", "codeswarm@1", "conformance@2", "code%"),
    model: fc.constantFrom("chaos:*", "scripted:conformance", "*", "chaos:[12]"),
    task: fc.constantFrom("conformance", "con*", "x*"),
  },
  { requiredKeys: [] },
);

test("a filter takes of an index what it takes of the runs themselves", async () => {
  const holds = async (filter: RunFilter) => {
    const expected = facts.filter((run) => refusedBy(filter, run) === null);
    const listed = await askIndex(folder, (index) => index.list(filter, { sort: "task" }));
    const told = listed.map(({ runId, outcome, signature, usd }) => [runId, outcome, signature, usd]);
    const known = expected.map(({ runId, outcome, signature, usage }) => [runId, outcome, signature, usage.usd]);
    expect(told.sort()).toEqual(known.sort());
  };
  await fc.assert(fc.asyncProperty(filters, holds), { numRuns: 60 });
});

test("stats are the sums over the runs that fit", async () => {
  const holds = async (filter: RunFilter) => {
    const expected = facts.filter((run) => refusedBy(filter, run) === null);
    const sum = (of: (run: RunFacts) => number) => expected.reduce((total, run) => total + of(run), 0);
    const stats = await askIndex(folder, (index) => index.stats(filter));
    expect(stats.total).toMatchObject({
      runs: expected.length,
      passed: sum(({ passed }) => Number(passed)),
      modelCalls: sum(({ usage }) => usage.modelCalls),
      output: sum(({ usage }) => usage.output),
    });
    const failures = expected.flatMap((run) => run.failures);
    expect(stats.signatures.reduce((total, one) => total + one.failures, 0)).toBe(failures.length);
    expect(stats.signatures.map(({ name }) => name).sort()).toEqual(
      [...new Set(failures.map(({ signature }) => signature))].sort(),
    );
    expect(stats.deaths.reduce((total, { runs }) => total + runs, 0)).toBe(
      sum(({ diedIn }) => Number(diedIn !== null)),
    );
    expect(stats.roles.reduce((total, { calls }) => total + calls, 0)).toBe(sum(({ usage }) => usage.modelCalls));
    expect(stats.teams.reduce((total, { runs }) => total + runs, 0)).toBe(expected.length);
  };
  await fc.assert(fc.asyncProperty(filters, holds), { numRuns: 40 });
});

test.each(Object.keys(SORTS) as Sort[])("sorts by %s, and gives as many as are asked for", async (sort) => {
  const { all, first } = await askIndex(folder, (index) => ({
    all: index.list({}, { sort }),
    first: index.list({}, { sort, limit: 3 }),
  }));
  expect(all).toHaveLength(runs.size);
  expect(first).toEqual(all.slice(0, 3));
  const { modelCalls } = all[0]!;
  if (sort === "calls") expect(modelCalls).toBe(Math.max(...all.map((run) => run.modelCalls)));
});

test("where a run that did not pass ended", () => {
  const diedIn = (name: string) => factsOf(runs.get(name)!).diedIn;
  expect(diedIn("good")).toBeNull();
  expect(diedIn("bad")).toEqual({ program: "write", stepId: "run/write" });
  expect(diedIn("cut-0")).toEqual({ program: "workflow", stepId: "run" });
  expect(diedIn("cut-9")).toEqual({ program: "write", stepId: "run/write" });
});
