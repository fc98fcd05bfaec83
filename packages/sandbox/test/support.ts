import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ExecOptions, Files, Sandbox, Workspace } from "@swarm/core";
import { localSandbox } from "@swarm/sandbox";
// biome-ignore lint/correctness/noUndeclaredDependencies: the repository's own, as in every test
import { afterAll, afterEach, beforeAll } from "vitest";

export const never = new AbortController().signal;
export const run = (options: Partial<ExecOptions> = {}): ExecOptions => ({
  signal: never,
  timeoutMs: 60_000,
  ...options,
});

/** The tiers that work here. A machine without bubblewrap has one, and `local-sandbox.test.ts` says so. */
export const tiers = (["bubblewrap", "process"] as const).filter(
  (tier) => tier === "process" || localSandbox({ isolation: "preferred" }).tier === "bubblewrap",
);

/** A temporary folder for all that a test file makes, the system's own one for its time. */
export function temporaryFolder(): { readonly path: string } {
  const before = process.env["TMPDIR"];
  const folder = { path: "" };
  beforeAll(() => {
    folder.path = realpathSync(mkdtempSync(join(tmpdir(), "sandbox-test-")));
    process.env["TMPDIR"] = folder.path;
  });
  afterAll(() => {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
    rmSync(folder.path, { recursive: true, force: true });
  });
  return folder;
}

/** What no output that is kept whole may hold. */
export const SECRET = "quiet wörds of no shape";

export type Fixture = {
  readonly sandbox: Sandbox;
  /** Opens a workspace that is disposed of after the test. */
  open(files?: Files): Promise<Workspace>;
  /** The workspace's folder on the host. */
  folderOf(workspace: Workspace): string;
};

export function fixture(tier: "bubblewrap" | "process", folder: { readonly path: string }): Fixture {
  let sandbox: Sandbox;
  const open = new Map<Workspace, string>();
  beforeAll(() => {
    sandbox = localSandbox({
      store: join(folder.path, "objects"),
      isolation: tier === "process" ? "none" : "required",
      secrets: [SECRET],
    });
  });
  afterEach(async () => {
    for (const workspace of open.keys()) await workspace[Symbol.asyncDispose]();
    open.clear();
  });
  return {
    get sandbox() {
      return sandbox;
    },
    async open(files = {}) {
      const before = new Set(readdirSync(folder.path));
      const snapshot = await sandbox.snapshots.put({ files });
      const workspace = await sandbox.open({ snapshot, lane: "test" }, { signal: never });
      const made = readdirSync(folder.path).find((name) => name.startsWith("swarm-") && !before.has(name));
      open.set(workspace, join(folder.path, String(made), "workspace"));
      return workspace;
    },
    folderOf: (workspace) => String(open.get(workspace)),
  };
}

/** Processes on this machine with `text` in their command line. */
export function processesWith(text: string): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid && commandOf(pid).includes(text));
}

/** Processes that are sleeping for just so many seconds. */
export function sleepersOf(seconds: string): number[] {
  return processesWith(seconds).filter((pid) => commandOf(pid).trim() === `sleep ${seconds}`);
}

let count = 0;
/** Seconds to sleep that no other command on this machine sleeps: to find the sleeper by. */
export function uniqueSleep(): string {
  count += 1;
  return `61.${process.pid}${String(count).padStart(3, "0")}`;
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ");
  } catch {
    return "";
  }
}
