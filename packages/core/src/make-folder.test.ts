import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { makeFolder } from "./make-folder.ts";

const folders: string[] = [];
function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "swarm-make-folder-"));
  folders.push(folder);
  return folder;
}
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

describe("makeFolder", () => {
  test.each(["new", "new/newer/newest", "there", "link/new"])("makes %s", (name) => {
    const folder = tempFolder();
    mkdirSync(join(folder, "there"));
    symlinkSync("there", join(folder, "link"));
    makeFolder(join(folder, name));
    expect(statSync(join(folder, name)).isDirectory()).toBe(true);
  });

  test.each([
    ["file", "EEXIST"],
    ["file/new", "ENOTDIR"],
    ["nowhere", "EEXIST"],
    ["new/".concat("long".repeat(100)), "ENAMETOOLONG"],
  ])("of %s throws what the system says", (name, code) => {
    const folder = tempFolder();
    writeFileSync(join(folder, "file"), "");
    symlinkSync("no-such-place", join(folder, "nowhere"));
    expect(() => makeFolder(join(folder, name))).toThrow(expect.objectContaining({ code, syscall: "mkdir" }));
  });

  test.runIf(existsSync("/proc/self")).each(["/proc/new", "/proc/new/newer"])("does not hang on %s", (path) => {
    expect(() => makeFolder(path)).toThrow(expect.objectContaining({ code: "ENOENT" }));
  });
});
