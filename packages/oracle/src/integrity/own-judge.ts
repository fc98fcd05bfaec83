import type { FrozenSuite, OracleContext, SnapshotId, Snapshots } from "@swarm/core";
import { START_MS } from "../runners/adapter.ts";
import { HIDDEN } from "../suite-ids.ts";
import { npmTest } from "./npm-test.ts";

/**
 * Whether a candidate that failed would pass by the exit code of the project's own test command, run in its own folder with all
 * that it did to the tests and to their runner in place: then what it did is no accident. Never where there is no such command
 * for the runner, or where the candidate has no test file of the suite that it could have changed.
 */
export async function passesItsOwnWay(
  suite: FrozenSuite,
  final: SnapshotId,
  timeoutMs: number,
  { sandbox, signal }: OracleContext,
): Promise<boolean> {
  const there = new Set(await sandbox.snapshots.list(final));
  const entries = suite.entries.filter((entry) => there.has(entry));
  if (entries.length === 0) return suite.id !== HIDDEN; // it removed what would have failed
  for (const { argv, env } of await ownCommands(suite.runner, entries, final, sandbox.snapshots)) {
    await using workspace = await sandbox.open({ snapshot: final, lane: "oracle" }, { signal });
    const limit = START_MS + timeoutMs; // there is no channel to tell that it has started
    const { code, timedOut } = await workspace.exec(argv, { signal, timeoutMs: limit, env });
    if (code === 0 && !timedOut) return true;
  }
  return false;
}

type OwnCommand = { argv: string[]; env: Record<string, string> };

async function ownCommands(
  runner: string,
  entries: string[],
  final: SnapshotId,
  snapshots: Snapshots,
): Promise<OwnCommand[]> {
  if (runner === "pytest") {
    const env = { PYTHONPATH: "/workspace" };
    const argv = ["python3", "-m", "pytest", "-q"];
    return [argv, [...argv, ...entries]].map((argv) => ({ argv, env }));
  }
  if (runner !== "node:test") return [];
  const { script, shell, env } = await npmTest((path) => textAt(path, final, snapshots));
  const argv = script === null ? ["node", "--test", ...entries] : [shell, "-c", script];
  return [{ argv, env }];
}

async function textAt(path: string, snapshot: SnapshotId, snapshots: Snapshots): Promise<string | null> {
  const there = (await snapshots.list(snapshot)).includes(path);
  return there ? Buffer.from(await snapshots.read(snapshot, path)).toString() : null;
}
