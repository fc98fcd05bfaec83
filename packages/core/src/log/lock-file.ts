import { randomUUID } from "node:crypto";
import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import type { LockHolder } from "../errors.ts";
import { isAlive, type Owner, OwnerSchema, thisProcess } from "../owner.ts";

/** `tookOver` is the process id of a dead holder whose lock this was. */
export type Lock = { release(): void; tookOver: number | null };

/**
 * Locks that this process holds. Where the system does not tell when a process started, a lock file with our id that is not
 * among them is from a former life of that id.
 */
const held = new Set<string>();

/**
 * Takes the lock that `path`, a path without links, stands for, or throws what `busy` makes of its holder. It appears whole,
 * so nobody sees half of it, and that of a dead process is taken over by exactly one.
 */
export function takeLock(path: string, busy: (holder: LockHolder) => Error): Lock {
  const mine = JSON.stringify(thisProcess());
  let tookOver: number | null = null;
  while (!create(path, mine)) {
    const text = read(path);
    const holder = text === null ? null : parse(text);
    if (holder && isHeld(holder, path)) throw busy(told(holder, path));
    if (text === null) continue;
    tookOver = holder?.pid ?? null; // whoever removes it, it may be another who takes it over
    removeStale(path, text);
  }
  held.add(path);
  return {
    tookOver,
    release() {
      held.delete(path);
      if (read(path) === mine) rmSync(path, { force: true });
    },
  };
}

/** Who holds the lock now; null where nobody does, or only a dead process. */
export function holderOf(path: string): Owner | null {
  const text = read(path);
  const holder = text === null ? null : parse(text);
  return holder && isHeld(holder, path) ? holder : null;
}

function create(path: string, text: string): boolean {
  const temporary = temporaryOf(path);
  try {
    writeFileSync(temporary, text, { flag: "wx" });
    linkSync(temporary, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

/**
 * Removes a lock that is stale, and no other: under a second lock, so that of all who found it stale one removes it, and looks
 * at it once more before.
 */
function removeStale(path: string, stale: string): void {
  const guard = `${path}.takeover`;
  if (!create(guard, JSON.stringify(thisProcess()))) {
    const text = read(guard);
    const other = text === null ? null : parse(text);
    if (text !== null && !(other && isAlive(other))) rmSync(guard, { force: true }); // it died amid a takeover
    return;
  }
  try {
    if (read(path) === stale) rmSync(path, { force: true });
  } finally {
    rmSync(guard, { force: true });
  }
}

function temporaryOf(path: string): string {
  return `${path}.${randomUUID()}`;
}

function read(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

function parse(text: string): Owner | null {
  try {
    return OwnerSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

function isHeld(holder: Owner, path: string): boolean {
  const ours = holder.started === null && JSON.stringify(holder) === JSON.stringify(thisProcess());
  return ours ? held.has(path) : isAlive(holder);
}

function told({ pid, where }: Owner, path: string): LockHolder {
  const since = statSync(path, { throwIfNoEntry: false })?.mtime ?? new Date(); // it may just have been given back
  return { pid, host: where.split(" ")[0]!, since: since.toISOString() };
}
