import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { localSandbox } from "@swarm/sandbox";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chaosRun, conformanceRun, cutAfter, type Made, mockRun, rowsOf } from "../../test/runs.ts";
import type { Format } from "./format.ts";
import { FORMATS } from "./formats.ts";
import { sft } from "./sft.ts";
import { sweBench } from "./swe-bench.ts";
import { trajectories } from "./trajectories.ts";

let folder: string;
let mock: Made;
let conformance: Made;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "swarm-corpus-"));
  mock = await mockRun("page-window", join(folder, "runs"));
  conformance = await conformanceRun();
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function expectValid(format: Format, made: Made): Promise<void> {
  const { rows } = await rowsOf(format, made);
  for (const { row } of rows) expect(format.schema.parse(JSON.parse(JSON.stringify(row)))).toEqual(row);
}

describe.each(FORMATS)("$name", (format) => {
  test("keeps to its rules for a run of each team", async () => {
    await expectValid(format, mock);
    await expectValid(format, conformance);
    await expectValid(format, await conformanceRun({ broken: true }));
    expect((await rowsOf(format, mock)).rows).not.toEqual([]);
  });

  test("keeps to its rules wherever a run was cut off", async () => {
    for (let count = 0; count <= conformance.run.events.length; count++) {
      await expectValid(format, cutAfter(conformance, count));
    }
  });

  test("makes the same rows again", async () => {
    expect(await rowsOf(format, mock)).toEqual(await rowsOf(format, mock));
  });
});

test("every format keeps to its rules whatever a model does", async () => {
  const seeds = fc.integer({ min: 1, max: 1_000_000 });
  const holds = async (seed: number) => {
    const made = await chaosRun(seed);
    for (const format of FORMATS) await expectValid(format, made);
  };
  await fc.assert(fc.asyncProperty(seeds, holds), { numRuns: 40 });
});

describe("sft", () => {
  test("has the work that succeeded and the diagnosis that helped, and no failed attempt", async () => {
    const { rows, leftOut } = await rowsOf(sft, mock);
    const told = rows.map(({ row }) => sft.schema.parse(row).metadata);
    expect(told.map(({ role, step_id, attempt }) => [role, step_id, attempt])).toEqual([
      ["planner", "run/plan", 0],
      ["reviewer", "run/implement", 0],
      ["coder", "run/implement", 1],
    ]);
    expect(leftOut).toEqual(["the work of an attempt that failed"]);
  });

  test("gives tool calls with their results, and ids that are used once", async () => {
    const { rows } = await rowsOf(sft, mock);
    const { messages, tools } = sft.schema.parse(rows.at(-1)!.row);
    expect(messages.map(({ role }) => role)).toEqual([
      "system",
      "user",
      ...["assistant", "tool", "assistant", "tool", "assistant"],
    ]);
    const ids = messages.flatMap((message) => ("tool_calls" in message ? message.tool_calls!.map(({ id }) => id) : []));
    expect(ids).toEqual(["call_0", "call_0_2"]);
    expect(tools.map(({ function: { name } }) => name)).toContain("write_file");
  });
});

describe("swe-bench", () => {
  test("gives a patch that git applies to the starter, to the byte", async () => {
    const { rows } = await rowsOf(sweBench, mock);
    const { model_patch, ...names } = sweBench.schema.parse(rows[0]!.row);
    const { header, state } = mock.run;
    const model_name_or_path = `codeswarm@${header.team.version}:mock:page-window`;
    expect(names).toEqual({ instance_id: "page-window", model_name_or_path });
    const { snapshots } = localSandbox({ store: join(folder, "runs/objects"), isolation: "none" });
    const work = join(folder, "work");
    execFileSync("git", ["init", "-q", work]);
    for (const path of await snapshots.list(header.base)) {
      mkdirSync(dirname(join(work, path)), { recursive: true });
      writeFileSync(join(work, path), await snapshots.read(header.base, path));
    }
    execFileSync("git", ["apply", "-"], { cwd: work, input: model_patch });
    for (const path of await snapshots.list(state.snapshot)) {
      expect(readFileSync(join(work, path))).toEqual(Buffer.from(await snapshots.read(state.snapshot, path)));
    }
  });

  test("leaves out a patch that JSON cannot hold, and one that holds what is shaped like a key", async () => {
    const withPatch = (bytes: Uint8Array): Made => ({ ...mock, run: { ...mock.run, patch: async () => bytes } });
    const latin1 = await rowsOf(sweBench, withPatch(Buffer.from([0xe9, 0x0a])));
    expect(latin1).toEqual({ rows: [], leftOut: ["its patch is not UTF-8"] });
    const key = await rowsOf(sweBench, withPatch(Buffer.from(`+key = "sk-${"a1".repeat(12)}"\n`)));
    expect(key).toEqual({ rows: [], leftOut: ["its patch holds what is shaped like a secret"] });
    const word = await rowsOf(sweBench, withPatch(Buffer.from("+region = ASIAPACIFIC\n")));
    expect(word.rows).toHaveLength(1);
  });
});

test("a trajectory tells of every attempt, with its failure and the hint that followed", async () => {
  const { rows } = await rowsOf(trajectories, mock);
  const row = trajectories.schema.parse(rows[0]!.row);
  expect(row).toMatchObject({ task_id: "page-window", verdict: { passed: true }, state: "final" });
  expect(row.attempts.map(({ step_id, ok, failure, hint }) => [step_id, ok, failure !== null, hint !== null])).toEqual([
    ["run/plan", true, false, false],
    ["run/implement", false, true, false],
    ["run/implement", true, false, true],
  ]);
  expect(row.attempts[1]!.conversations.map(({ role, phase }) => [role, phase])).toEqual([
    ["coder", "work"],
    ["reviewer", "diagnosis"],
  ]);
  expect(row.patch).toMatch(/^diff --git /);
});
