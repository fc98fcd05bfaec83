import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder in which the processes of the tests note lines, and what takes them out, once, in the end. */
export function notesOfAll(): { folder: string; take(): string[] } {
  const folder = mkdtempSync(join(tmpdir(), "swarm-notes-"));
  const take = () => {
    const lines = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), "utf8").trimEnd().split("\n"));
    rmSync(folder, { recursive: true });
    return lines;
  };
  return { folder, take };
}

/** Notes lines in such a folder. */
export function note(folder: string, lines: readonly string[]): void {
  appendFileSync(join(folder, `${process.pid}.txt`), lines.map((line) => `${line}\n`).join(""));
}
