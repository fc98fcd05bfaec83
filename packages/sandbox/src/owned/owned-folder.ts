import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { messageOf, type Owner, OwnerSchema, SandboxError, thisProcess } from "@swarm/core";
import { hasCode } from "../files/fs-error.ts";
import { readRegularFile, statOf } from "../files/open-file.ts";
import { entriesOf } from "../files/walk.ts";
import { withAccess } from "../files/with-access.ts";

/** What the names of owned folders begin with. */
export const PREFIX = "swarm-";

const RECORD = "owner.json";
/** What {@link makeOwnedFolder} calls a folder, before it is its owner's. */
const NEW = new RegExp(`^${PREFIX}[A-Za-z0-9]{6}$`);
/** Who lives has written the record of a new folder by then. */
const HALF_MADE_MS = 60_000;
const REMOVAL = { recursive: true, force: true, maxRetries: 5 } as const;

/** Makes a folder in the system's temporary one that says who owns it, and returns its real path. */
export function makeOwnedFolder(): string {
  // In one go: what a process leaves that is killed between the two is told by `isHalfMade` alone.
  try {
    const base = mkdtempSync(join(realpathSync(tmpdir()), PREFIX));
    writeRecord(base);
    return base;
  } catch (cause) {
    const folder = JSON.stringify(tmpdir());
    throw new SandboxError(
      `no temporary folder can be made in ${folder} (${messageOf(cause)}); set TMPDIR to a folder that can be written to`,
      { cause },
    );
  }
}

/** Who owns a folder. Null when it is none that this process's user made with {@link makeOwnedFolder}. */
export function ownerOf(base: string): Owner | null {
  const stat = statOf(base);
  if (!stat?.isDirectory() || Number(stat.uid) !== process.geteuid?.()) return null;
  const record = readRegularFile(join(base, RECORD), RECORD);
  if (!record) return null;
  try {
    return OwnerSchema.safeParse(JSON.parse(record.bytes.toString())).data ?? null;
  } catch {
    return null; // Not what we wrote, so not ours to judge.
  }
}

/** Whether a folder is one whose maker was killed before it could say so: long there, and empty but for the beginning of a record. */
export function isHalfMade(base: string): boolean {
  const stat = statOf(base);
  if (!stat?.isDirectory() || Number(stat.uid) !== process.geteuid?.() || !NEW.test(basename(base))) return false;
  const isOld = Date.now() - Number(stat.ctimeMs) > HALF_MADE_MS;
  return isOld && readdirSync(base).every((name) => name.startsWith(`${RECORD}.`));
}

/**
 * Makes a folder whose owner is dead this process's own, under a new name, so that of several processes one gets it. Returns
 * the new name, or null when another process was faster.
 */
export function claimFolder(base: string): string | null {
  const claimed = join(dirname(base), `${PREFIX}${randomUUID()}`);
  try {
    renameSync(base, claimed);
    writeRecord(claimed);
    return claimed;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}

/** Removes a folder with all in it; the record last, so that what a removal leaves that was cut short has an owner. */
export async function removeOwnedFolder(base: string): Promise<void> {
  await withAccess(base, async () => {
    for (const { path } of entriesOf(base, "")) if (path !== RECORD) await remove(join(base, path));
    await remove(base);
  });
}

/** Removes also what a command nested deeper than any path can say: the system's own program goes down step by step. */
async function remove(path: string): Promise<void> {
  try {
    await rm(path, REMOVAL);
  } catch (error) {
    if (!hasCode(error, "ENAMETOOLONG")) throw error;
    await promisify(execFile)("/bin/sh", ["-c", 'chmod -R u+rwX "$1"; exec rm -rf "$1"', "sh", path]);
  }
}

function writeRecord(base: string): void {
  // Whole or not at all, and never through what somebody put in its place.
  const temporary = join(base, `${RECORD}.${randomUUID()}`);
  writeFileSync(temporary, JSON.stringify(thisProcess()), { flag: "wx" });
  renameSync(temporary, join(base, RECORD));
}
