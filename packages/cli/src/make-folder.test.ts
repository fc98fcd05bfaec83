import { existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { removeTempFolders, tempFolder } from "../test/cli.ts";
import { makeFolder } from "./make-folder.ts";

afterEach(removeTempFolders);

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
