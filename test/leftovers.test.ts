import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { localSandbox } from "@swarm/sandbox";
import { afterAll, beforeAll, expect, it } from "vitest";
import { holdings, manyRuns } from "../bench/lib/many-runs.ts";

const before = process.env["TMPDIR"];
let folder: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "leftovers-test-")));
  process.env["TMPDIR"] = join(folder, "tmp");
  mkdirSync(join(folder, "tmp"));
});
afterAll(() => {
  if (before === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = before;
  rmSync(folder, { recursive: true });
});

const TIERS = (["bubblewrap", "process"] as const).filter((tier) => {
  if (tier === "process" || localSandbox().tier === tier) return true;
  console.warn("BUBBLEWRAP DOES NOT WORK HERE: what runs leave is tried with plain processes only");
  return false;
});

// `npm run bench -- leftovers` does it with 500 runs, and looks at memory too.
it.each(TIERS)("runs at concurrency 16 in the %s tier leave nothing behind", { timeout: 120_000 }, async (tier) => {
  const sandbox = localSandbox({ store: join(folder, "objects"), isolation: tier === "process" ? "none" : "required" });
  const batch = (name: string, runs: number) =>
    manyRuns({ sandbox, folder: join(folder, `${tier}-${name}`), runs, concurrency: 16 });
  await batch("first", 4);
  const { heap: _, ...then } = holdings(join(folder, "tmp"));
  const outcomes = await batch("second", 20);
  const { heap: __, ...now } = holdings(join(folder, "tmp"));
  expect(outcomes.filter((outcome) => outcome === "aborted")).toHaveLength(2);
  expect(outcomes.filter((outcome) => outcome === "verified")).toHaveLength(18);
  expect(now).toEqual({ ...then, processes: 0, folders: [], descriptors: expect.any(Number) });
  expect(now.descriptors).toBeLessThanOrEqual(then.descriptors);
  const directories = readdirSync(join(folder, `${tier}-second`)).filter((name) => name.startsWith("directory-"));
  expect(directories).toHaveLength(18);
  for (const name of directories)
    expect(readFileSync(join(folder, `${tier}-second`, name, "b.txt"), "utf8")).toBe("2\n");
});
