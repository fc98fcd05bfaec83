import { openSync, readdirSync, readFileSync } from "node:fs";

const CLOSED_ON_EXEC = 0o2000000;
let found: readonly number[] | undefined;
let nothing: number | undefined;

/**
 * Descriptors beyond the standard ones that this process was started with, and that what it starts would have too. Node
 * closes its own, and of inherited ones the first few. Looked for once; none where there is no `/proc`.
 */
export function inheritedDescriptors(): readonly number[] {
  found ??= numbersIn("/proc/self/fdinfo").filter((descriptor) => descriptor > 2 && staysOpen(descriptor));
  return found;
}

/** Stands in for an inherited descriptor: reads as empty. */
export function nothingToRead(): number {
  nothing ??= openSync("/dev/null", "r");
  return nothing;
}

function staysOpen(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1"))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSED_ON_EXEC) === 0;
  } catch {
    return false; // It was that of reading the folder.
  }
}

function numbersIn(folder: string): number[] {
  try {
    return readdirSync(folder).map(Number);
  } catch {
    return [];
  }
}
