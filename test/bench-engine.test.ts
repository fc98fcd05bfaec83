import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const bench = (...args: string[]) =>
  promisify(execFile)(process.execPath, ["--conditions=@swarm/source", join(root, "bench/engine.ts"), ...args]);

describe("the benchmark of the engine", () => {
  test.each([
    ["--rounds", "0"],
    ["--runs", "many"],
    ["--tests", "-1"],
  ])("refuses %s %s before it installs anything", async (flag, value) => {
    const refused = await bench(`${flag}=${value}`).catch((error) => error);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toBe(`${flag}: ${JSON.stringify(value)} is no whole number above 0\n`);
  });

  test("refuses a flag that it does not know", async () => {
    const refused = await bench("--round=3").catch((error) => error);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain("Unknown option '--round'");
  });
});
