import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { LogError } from "../errors.ts";
import { isAlive, type Owner, OwnerSchema, thisProcess } from "../owner.ts";

/** `tookOver` is the process id of a dead holder whose lock this was. */
export type Lock = { release(): void; tookOver: number | null };

/** Locks that this process holds: a lock file with our id that is not among them is from a former life of that id. */
const held = new Set<string>();
let temporaryNames = 0;

/**
 * Takes the lock that `path` stands for, or throws `LOG_BUSY`. It appears whole, so nobody sees half of it, and that of a
 * dead process is taken over by exactly one.
 */
export function takeLock(path: string): Lock {
  const mine = JSON.stringify(thisProcess());
  let tookOver: number | null = null;
  while (!create(path, mine)) {
    const text = read(path);
    const holder = text === null ? null : parse(text);
    if (holder && isHeld(holder, path)) throw new LogError("LOG_BUSY", `process ${holder.pid} is writing (${path})`);
    if (text !== null && removeStale(path, text)) tookOver = holder?.pid ?? null;
  }
  held.add(path);
  return {
    tookOver,
    release() {
      held.delete(path);
      rmSync(path, { force: true });
    },
  };
}

function create(path: string, text: string): boolean {
  const temporary = temporaryOf(path);
  writeFileSync(temporary, text, { flag: "wx" });
  try {
    linkSync(temporary, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Moves the lock away before it is judged again, so that of two who found it stale only one removes it. */
function removeStale(path: string, stale: string): boolean {
  const aside = temporaryOf(path);
  try {
    renameSync(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
  const moved = read(aside);
  if (moved !== null && moved !== stale) create(path, moved); // another took over in between: the lock is theirs
  rmSync(aside, { force: true });
  return moved === stale;
}

function temporaryOf(path: string): string {
  return `${path}.${process.pid}-${temporaryNames++}`;
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
  return JSON.stringify(holder) === JSON.stringify(thisProcess()) ? held.has(path) : isAlive(holder);
}
