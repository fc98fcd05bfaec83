import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Bytes of a small disk: enough for a run. */
const SIZE = 16 * 1024 * 1024;

export type Disk = { fill(): void; free(): void; remove(): void };

/** A small disk of its own at a folder, or in words why there cannot be one here. */
export function smallDisk(folder: string): Disk | string {
  if (process.platform !== "linux") return "a disk in memory is Linux's";
  if (process.getuid?.() !== 0) return "to mount a disk needs root";
  mkdirSync(folder, { recursive: true });
  const { status, stderr } = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${SIZE}`, "tmpfs", folder], {
    encoding: "utf8",
  });
  if (status !== 0) return `mount failed: ${stderr.trim()}`;
  const filler = join(folder, "filler");
  return {
    fill() {
      for (let bytes = SIZE; bytes >= 4096; bytes /= 2) {
        while (writes(filler, bytes));
      }
    },
    free: () => rmSync(filler, { force: true }),
    remove() {
      if (existsSync(folder)) spawnSync("umount", ["-l", folder]);
    },
  };
}

function writes(file: string, bytes: number): boolean {
  try {
    writeFileSync(file, Buffer.alloc(bytes), { flag: "a" });
    return true;
  } catch {
    return false; // full
  }
}
