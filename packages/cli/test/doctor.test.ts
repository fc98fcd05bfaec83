import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { cli, removeTempFolders, tempFolder } from "./cli.ts";

afterEach(removeTempFolders);

type Checks = { ok: boolean; checks: { name: string; ok: boolean; required: boolean; found: string }[] };

/** A folder with programs that say `says`, to be the whole PATH. */
function programs(says: Record<string, string>): string {
  const folder = tempFolder();
  for (const [name, text] of Object.entries(says)) {
    writeFileSync(join(folder, name), `#!/bin/sh\necho "${text}"\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

describe("swarm doctor", () => {
  test("finds what runs need on this machine, and leaves nothing behind", async () => {
    const cwd = tempFolder();
    const { code, stdout } = await cli(["doctor", "--json"], { cwd });
    const { ok, checks }: Checks = JSON.parse(stdout);
    expect([code, ok]).toEqual([0, true]);
    expect(checks.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["Node", "git", "Python", "bubblewrap", "runs folder", "ANTHROPIC_API_KEY"]),
    );
    expect(readdirSync(cwd)).toEqual([]);
  });

  test("tries each test runner, with the packages of the folder that it is called in", async () => {
    const { checks }: Checks = JSON.parse((await cli(["doctor", "--json"], { cwd: tempFolder() })).stdout);
    const runners = Object.fromEntries(checks.map((check) => [check.name, check]));
    expect(runners["pytest"]).toMatchObject({
      ok: true,
      required: false,
      found: expect.stringMatching(/^\d+\.\d+.* on Python 3/),
    });
    expect(runners["node:test"]).toMatchObject({ ok: true });
    for (const name of ["vitest", "jest", "mocha"]) {
      expect(runners[name]).toMatchObject({
        ok: false,
        found: expect.stringContaining(`${name} is not installed in `),
      });
    }
    for (const name of ["go test", "cargo test"]) {
      expect(runners[name]?.found).toMatch(/^(?:go1|cargo 1)\.|cannot be started/);
    }
  });

  test("says what is missing and what that costs; without git no run is possible", async () => {
    const env = { PATH: programs({ python3: "Python 3.99" }) };
    const { code, stdout } = await cli(["doctor"], { env });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^problem {3}git +git is not on the PATH; patches cannot be made$/m);
    expect(stdout).toMatch(/^ok {8}Python +Python 3\.99$/m);
    expect(stdout).toMatch(/\nRuns are not possible before this is put right: git\.\n$/);
  });

  test("shows which keys are set, and never a key; one that is not is no problem", async () => {
    const env = { OPENAI_API_KEY: "sk-very-secret" };
    const text = await cli(["doctor"], { env });
    expect(text.stdout).toMatch(/^ok {8}OPENAI_API_KEY +is set$/m);
    expect(text.stdout).toMatch(/^optional {2}GEMINI_API_KEY or GOOGLE_API_KEY +is not set; .*--mock needs no key$/m);
    expect(text.stdout).not.toContain("problem");
    expect([text.code, text.stdout.endsWith("\nRuns are possible.\n")]).toEqual([0, true]);
    const json = await cli(["doctor", "--json"], { env });
    expect(text.stdout + text.stderr + json.stdout + json.stderr).not.toContain("secret");
  });

  test("a runs folder that cannot be one makes runs impossible", async () => {
    const cwd = tempFolder();
    mkdirSync(join(cwd, "folder"));
    writeFileSync(join(cwd, "file"), "");
    expect((await cli(["doctor", "--runs", "folder/new/runs"], { cwd })).code).toBe(0);
    expect(readdirSync(cwd, { recursive: true }).sort()).toEqual(["file", "folder"]);
    const { code, stdout } = await cli(["doctor", "--runs", "file/runs"], { cwd });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^problem {3}runs folder +\S+\/file is no folder; no run can write its log there/m);
  });

  test.runIf(existsSync("/proc/self"))("it tries to write: permissions alone do not tell", async () => {
    const { code, stdout } = await cli(["doctor", "--runs", "/proc/runs"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^problem {3}runs folder +\/proc refuses it \(ENOENT: no such file or directory\); /m);
  });
});
