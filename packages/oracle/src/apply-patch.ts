import { randomUUID } from "node:crypto";
import { InvalidInputError, type OracleContext, SandboxError, type SnapshotId } from "@swarm/core";

const APPLY_MS = 60_000;
/** No repository that the workspace may lie in is looked for, and no configuration decides. */
const ENV = { GIT_DIR: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };

/**
 * The first of `bases` that a patch fits, with the patch applied by `git apply`. Throws an {@link InvalidInputError}
 * `PATCH_DOES_NOT_APPLY` with what git says about the first.
 */
export async function applyPatch(
  patch: string | Uint8Array,
  bases: readonly SnapshotId[],
  context: OracleContext,
): Promise<SnapshotId> {
  const complaints: string[] = [];
  for (const base of bases) {
    const tried = await tryOn(patch, base, context);
    if ("snapshot" in tried) return tried.snapshot;
    complaints.push(tried.complaint);
  }
  const message = `does not apply to the files that the work began from: ${complaints[0]}`;
  throw new InvalidInputError("candidate.patch", message, { code: "PATCH_DOES_NOT_APPLY" });
}

async function tryOn(
  patch: string | Uint8Array,
  base: SnapshotId,
  { sandbox, signal }: OracleContext,
): Promise<{ snapshot: SnapshotId } | { complaint: string }> {
  await using workspace = await sandbox.open({ snapshot: base, lane: "oracle" }, { signal });
  const file = `${randomUUID()}.patch`;
  await workspace.write(file, patch);
  const argv = ["git", "apply", "--whitespace=nowarn", file];
  const { code, timedOut, output } = await workspace.exec(argv, { signal, timeoutMs: APPLY_MS, env: ENV });
  await workspace.remove(file);
  if (code === 0) return { snapshot: await workspace.snapshot() };
  if (code === 127 || timedOut) throw new SandboxError(`the patch could not be tried: ${output.trim() || "timed out"}`);
  return {
    complaint: output.trim().replaceAll(/^error: |\n(?:error: )?/g, (found) => (found[0] === "\n" ? "; " : "")),
  };
}
