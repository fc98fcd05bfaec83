import type { Change, FrozenSuite, JsonObject, Sandbox, SnapshotId, Snapshots } from "@swarm/core";
import { type PathRules, protectedPath, steersTests } from "./protected-paths.ts";

/**
 * A candidate's work as it enters the clean room, and every change of it that was undone. `steering` says whether it changed
 * anything that could make its own tests say something else, undone or not; `delivered` is the work with all its changes.
 */
export type Candidate = {
  snapshot: SnapshotId;
  tampering: JsonObject[];
  steering: boolean;
  delivered: SnapshotId;
  /** Paths of what stays behind when the work is delivered. */
  leftOut: string[];
};

/**
 * Takes from what of `final` is delivered what the candidate may bring: without the protected files that it added, with those of the starter that
 * it changed put back. Its changes to files of the suites are reported here, and undone where the suites are laid on top.
 */
export async function cleanCandidate(
  input: { base: SnapshotId; final: SnapshotId; suites: readonly FrozenSuite[]; paths: PathRules },
  { sandbox, signal }: { sandbox: Sandbox; signal: AbortSignal },
): Promise<Candidate> {
  const { snapshots } = sandbox;
  const owners = await ownersOf(input.suites, snapshots);
  const tampering: JsonObject[] = [];
  const undo: Change[] = [];
  let steering = false;
  const { snapshot: delivered, leftOut } = await snapshots.delivered(input.base, input.final);
  for (const change of await snapshots.diff(input.base, delivered)) {
    const { path, kind } = change;
    steering ||= steersTests(path);
    const owner = owners.get(path);
    const what = protectedPath(path, input.paths);
    if (owner !== undefined) {
      if (kind === "added" && (await sameFile(snapshots, owner, delivered, path))) continue;
      tampering.push({ kind: "test-file-changed", path, change: kind });
    } else if (what !== null) {
      tampering.push({ kind: "protected-file-changed", path, change: kind, what });
      undo.push(change);
    }
  }
  steering ||= tampering.length > 0;
  if (undo.length === 0) return { snapshot: delivered, tampering, steering, delivered, leftOut };

  await using workspace = await sandbox.open({ snapshot: delivered, lane: "oracle" }, { signal });
  for (const { path, kind } of undo) {
    if (kind !== "removed") await workspace.remove(path);
    if (kind !== "added") await workspace.write(path, await snapshots.read(input.base, path));
  }
  return { snapshot: await workspace.snapshot(), tampering, steering, delivered, leftOut };
}

/** The suite whose version of a path counts: the last one that has it. */
async function ownersOf(suites: readonly FrozenSuite[], snapshots: Snapshots): Promise<Map<string, SnapshotId>> {
  const owners = new Map<string, SnapshotId>();
  for (const { snapshot } of suites) {
    for (const path of await snapshots.list(snapshot)) owners.set(path, snapshot);
  }
  return owners;
}

async function sameFile(snapshots: Snapshots, a: SnapshotId, b: SnapshotId, path: string): Promise<boolean> {
  const [left, right] = await Promise.all([snapshots.read(a, path), snapshots.read(b, path)]);
  return Buffer.compare(left, right) === 0;
}
