import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { withAccess } from "./with-access.ts";

const USER = 64_321;
const isRoot = process.getuid?.() === 0;
let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "access-"));
});
afterEach(() => {
  if (isRoot) process.seteuid?.(0);
  rmSync(directory, { recursive: true, force: true });
});

it("opens what a mode keeps from its owner", async () => {
  const [folder, file] = [join(directory, "locked"), join(directory, "locked/file")];
  mkdirSync(folder);
  writeFileSync(file, "1");
  for (const path of [file, folder, directory]) if (isRoot) chownSync(path, USER, USER);
  for (const path of [file, folder]) chmodSync(path, 0);
  // No mode stops root.
  if (isRoot) process.seteuid?.(USER);
  expect(() => readFileSync(file)).toThrow(/EACCES/);
  expect(await withAccess(directory, async () => readFileSync(file, "utf8"))).toBe("1");
  expect([statSync(folder).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600]);
});

it("opens what has a name that is no text", async () => {
  const folder = Buffer.concat([Buffer.from(`${directory}/`), Buffer.from("odd\xff", "latin1")]);
  const file = Buffer.concat([folder, Buffer.from("/f\xff", "latin1")]);
  mkdirSync(folder);
  writeFileSync(file, "1");
  for (const path of [file, folder, directory]) if (isRoot) chownSync(path, USER, USER);
  for (const path of [file, folder]) chmodSync(path, 0);
  if (isRoot) process.seteuid?.(USER);
  expect(await withAccess(directory, async () => readFileSync(file, "utf8"))).toBe("1");
});

it("tries once more, and not for another kind of failure", async () => {
  let calls = 0;
  const failing = (code: string) => async () => {
    calls += 1;
    throw Object.assign(new Error(code), { code });
  };
  await expect(withAccess(directory, failing("EACCES"))).rejects.toThrow("EACCES");
  expect(calls).toBe(2);
  await expect(withAccess(directory, failing("ENOSPC"))).rejects.toThrow("ENOSPC");
  expect(calls).toBe(3);
});
