import type { FrozenSuite, OracleContext, SnapshotId } from "@swarm/core";
import { START_MS } from "../runners/adapter.ts";

const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  pytest: ["python3", "-m", "pytest", "-q"],
  "node:test": ["node", "--test"],
};

/**
 * Whether a candidate that failed would pass by the exit code of its own tests, with all that it did to them and to their
 * runner in place: then what it did is no accident. Never where the runner has no such command, or the candidate has no test
 * file of the suite that it could have changed.
 */
export async function passesItsOwnWay(
  suite: FrozenSuite,
  final: SnapshotId,
  timeoutMs: number,
  { sandbox, signal }: OracleContext,
): Promise<boolean> {
  const command = COMMANDS[suite.runner];
  if (!command) return false;
  const there = new Set(await sandbox.snapshots.list(final));
  const entries = suite.entries.filter((entry) => there.has(entry));
  if (entries.length === 0) return suite.id !== "hidden"; // it removed what would have failed
  await using workspace = await sandbox.open({ snapshot: final, lane: "oracle" }, { signal });
  const limits = { signal, timeoutMs: START_MS + timeoutMs }; // there is no channel to tell that it has started
  const { code, timedOut } = await workspace.exec([...command, ...entries], limits);
  return code === 0 && !timedOut;
}
