import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Files, Sandbox, SnapshotId } from "@swarm/core";

/** A candidate's files as a folder has them, so that what no snapshot takes, such as `node_modules`, is left out. */
export async function snapshotOf(files: Files, { snapshots }: Sandbox): Promise<SnapshotId> {
  const directory = await mkdtemp(join(tmpdir(), "gauntlet-"));
  try {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(directory, path)), { recursive: true });
      const executable = typeof content !== "string" && content.executable === true;
      await writeFile(join(directory, path), bytesOf(content), { mode: executable ? 0o755 : 0o644 });
    }
    return await snapshots.put({ directory });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

export function bytesOf(content: Files[string]): Uint8Array {
  return typeof content === "string" ? Buffer.from(content) : Buffer.from(content.base64, "base64");
}
