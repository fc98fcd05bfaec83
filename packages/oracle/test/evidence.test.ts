import { execFile, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Verdict } from "@swarm/core";
import { afterAll, describe, expect, it } from "vitest";

const NOBODY = 65534;
const SCRIPT = join(import.meta.dirname, "judge-elsewhere.ts");
/** Eleven days on, in this process's eyes. */
const LATER = `const now = Date.now; Date.now = () => now() + 1e9;
globalThis.Date = class extends Date { constructor(...given) { super(...(given.length > 0 ? given : [Date.now()])); } };`;

const folders: string[] = [];
afterAll(() => folders.forEach((folder) => void rmSync(folder, { recursive: true, force: true })));

/** A folder that every user may work in. */
function folderIn(parent: string): string {
  const folder = mkdtempSync(join(parent, "swarm-evidence-"));
  chmodSync(folder, 0o777);
  folders.push(folder);
  return folder;
}

type Elsewhere = {
  temporary?: string;
  env?: Record<string, string>;
  later?: boolean;
  user?: number;
  isolation?: string;
};

/** The verdict on the same work as it is made in another process, which sees another world around it. */
async function verdictOf(runner: string, { temporary, env, later, user, isolation = "none" }: Elsewhere = {}) {
  const TMPDIR = temporary ?? folderIn(tmpdir());
  const clock = later ? [`--import=data:text/javascript,${encodeURIComponent(LATER)}`] : [];
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--conditions=@swarm/source", ...clock, SCRIPT, runner, isolation, join(TMPDIR, "objects")],
    {
      cwd: TMPDIR,
      env: { PATH: process.env["PATH"], HOME: process.env["HOME"], TMPDIR, ...env },
      ...(user !== undefined && { uid: user, gid: user }),
    },
  );
  return JSON.parse(stdout) as Verdict & { evidence: { sha256: string; place: { tier: string } } };
}

/** Why the other user cannot run the same runner here; null where that can be tried. */
function notAsNobody(program: string, args: readonly string[]): string | null {
  if (process.getuid?.() !== 0) return "only root may become another user";
  const told = (as: object) => spawnSync(program, args, { ...as, cwd: "/", encoding: "utf8" });
  const { error, status, stdout } = told({ uid: NOBODY, gid: NOBODY });
  if (error || status !== 0) return `nobody cannot run ${program} ${args.join(" ")} here`;
  return stdout === told({}).stdout ? null : `nobody has another version of it here: ${stdout.trim()}`;
}

describe.each([
  ["pytest", "python3", ["-m", "pytest", "--version"]],
  ["node:test", process.execPath, ["--version"]],
])("the evidence of a verdict by %s", (runner, program, args) => {
  const here = verdictOf(runner);

  it("says what it rests on, and where it was made beside that", async () => {
    const { outcome, signals, evidence } = await here;
    expect({ outcome, signals }).toEqual({ outcome: "failed", signals: { testsPassed: 1, testsFailed: 1 } });
    expect(evidence).toMatchObject({
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      suites: [{ runner: { name: runner, version: expect.any(String) }, env: expect.any(Object) }],
      place: { tier: "process", system: `${process.platform} ${process.arch}` },
    });
  });

  it("is the same in another path, with another HOME, at another time, in another zone", async () => {
    const temporary = folderIn(folderIn(tmpdir()));
    const env = { HOME: temporary, TZ: "Asia/Kolkata", LANG: "de_DE.UTF-8", USER: "somebody", NO_COLOR: "" };
    expect(await verdictOf(runner, { temporary, env, later: true })).toMatchObject({
      evidence: { sha256: (await here).evidence.sha256 },
    });
  });

  it("is the same in another tier, which stands beside it", async () => {
    const there = await verdictOf(runner, { isolation: "preferred" });
    expect(there.evidence.sha256).toBe((await here).evidence.sha256);
    expect(there.evidence.place.tier).toMatch(/^(bubblewrap|process)$/);
  });

  const problem = notAsNobody(program, args);
  if (problem) it.skip(`is the same as another user: not tried, since ${problem}`, () => {});
  else {
    it("is the same as another user", async () => {
      const there = await verdictOf(runner, { user: NOBODY, env: { HOME: "/nonexistent" } });
      expect(there.evidence.sha256).toBe((await here).evidence.sha256);
    });
  }
});
