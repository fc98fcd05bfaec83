import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { type Files, InvalidInputError, thisProcess, WorkspaceBusyError } from "@swarm/core";
import { localSandbox } from "@swarm/sandbox";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "./support.ts";

const folder = temporaryFolder();
const store = () => join(folder.path, "objects");
const sandboxOf = () => localSandbox({ store: store(), isolation: "none" });
const snapshotOf = (files: Files) => sandboxOf().snapshots.put({ files });
const executable = (text: string) => ({ base64: Buffer.from(text).toString("base64"), executable: true });

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(folder.path, "project-"));
});

function write(files: Record<string, string>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(directory, path, ".."), { recursive: true });
    writeFileSync(join(directory, path), content);
  }
}

/** Every file and link of the directory, with its content or target. */
function files(): Record<string, string> {
  const found = readdirSync(directory, { recursive: true, withFileTypes: true }).filter(
    (entry) => !entry.isDirectory(),
  );
  return Object.fromEntries(
    found.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(directory.length + 1), entry.isFile() ? readFileSync(path, "utf8") : readlinkSync(path)];
    }),
  );
}

/** Holds the directory for as long as it takes to make the changes between two sets of files. */
async function change(from: Files, to: Files): Promise<string[]> {
  const held = await sandboxOf().hold(directory);
  try {
    return await held.change(await snapshotOf(from), await snapshotOf(to));
  } finally {
    held.release();
  }
}

describe("a directory that is held", () => {
  it("is held by one at a time, by whatever path and in one tick, until it is given back", async () => {
    symlinkSync(directory, `${directory}-link`);
    const paths = [
      directory,
      `${directory}/`,
      `${directory}-link`,
      join(directory, "../", directory.split("/").at(-1)!),
    ];
    const holds = await Promise.allSettled(paths.map((path) => sandboxOf().hold(path)));
    expect(holds.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "rejected"]);
    const [first, ...others] = holds;
    for (const other of others) {
      const { reason } = other as PromiseRejectedResult;
      expect(reason).toBeInstanceOf(WorkspaceBusyError);
      expect(reason).toMatchObject({
        code: "WORKSPACE_BUSY",
        directory,
        holder: { pid: process.pid, host: hostname() },
      });
      expect(Date.now() - Date.parse(reason.holder.since)).toBeLessThan(60_000);
      expect(reason.message).toMatch(/^workspace busy: process \d+ on .* has held .* since \d{4}-.*; wait for its end/);
    }
    const { value } = first as PromiseFulfilledResult<Awaited<ReturnType<ReturnType<typeof sandboxOf>["hold"]>>>;
    value.release();
    value.release();
    const again = await sandboxOf().hold(directory);
    value.release();
    await expect(sandboxOf().hold(directory)).rejects.toThrow(WorkspaceBusyError);
    again.release();
    expect(readdirSync(directory)).toEqual([]);
  });

  /** A process that holds the directory, or says why it cannot. */
  function holder() {
    const script = `
      import { localSandbox } from "@swarm/sandbox";
      const sandbox = localSandbox({ store: ${JSON.stringify(store())}, isolation: "none" });
      process.stdin.once("data", async () => {
        try {
          const { tookOver } = await sandbox.hold(${JSON.stringify(directory)});
          console.log("held " + tookOver);
        } catch (error) {
          console.log(error.code + " " + error.holder?.pid);
        }
      });
      console.log("ready");`;
    const args = ["--conditions=@swarm/source", "--input-type=module", "-e", script];
    const child = spawn(process.execPath, args, { cwd: import.meta.dirname, stdio: ["pipe", "pipe", "inherit"] });
    const line = async () => String((await once(child.stdout, "data"))[0]).trim();
    const ready = line();
    return {
      pid: child.pid,
      ready,
      async hold() {
        const said = line();
        child.stdin.write("go");
        return await said;
      },
      async kill() {
        const ended = once(child, "exit");
        child.kill("SIGKILL");
        await ended;
      },
    };
  }

  it("is held across processes, and taken over from a dead one by exactly one", async () => {
    const dead = holder();
    await dead.ready;
    expect(await dead.hold()).toBe("held null");
    const busy = await sandboxOf()
      .hold(directory)
      .catch((error: unknown) => error);
    expect(busy).toMatchObject({ code: "WORKSPACE_BUSY", holder: { pid: dead.pid } });
    await dead.kill();

    const heirs = [1, 2, 3].map(() => holder());
    await Promise.all(heirs.map(({ ready }) => ready));
    const said = await Promise.all(heirs.map((heir) => heir.hold()));
    const winner = heirs[said.findIndex((word) => word.startsWith("held"))];
    expect([...said].sort()).toEqual([`held ${dead.pid}`, ...[1, 2].map(() => `WORKSPACE_BUSY ${winner?.pid}`)].sort());
    await Promise.all(heirs.map((heir) => heir.kill()));
    const held = await sandboxOf().hold(directory);
    expect(held.tookOver).toBe(winner?.pid);
    held.release();
  });

  it.runIf(process.platform === "linux")("is taken over from a holder whose id is another's now", async () => {
    write({ ".swarm/lock": JSON.stringify({ ...thisProcess(), started: "1" }) });
    const held = await sandboxOf().hold(directory);
    expect(held.tookOver).toBe(process.pid);
    held.release();
  });

  it("is as it was after its holder is gone, whatever that was doing", async () => {
    write({ keep: "1", ".swarm/lock.00000000-0000-0000-0000-000000000000": "{", ".swarm/mine": "kept" });
    mkdirSync(join(directory, ".swarm/changes-unplanned/new"), { recursive: true });
    const held = await sandboxOf().hold(directory);
    held.release();
    expect(files()).toEqual({ keep: "1", ".swarm/mine": "kept" });
  });

  it("is made where it is missing, and is gone again where nothing came of it", async () => {
    const missing = join(directory, "a/b");
    const held = await sandboxOf().hold(missing);
    expect(await held.snapshot()).toBe(await snapshotOf({}));
    held.release();
    expect(existsSync(missing)).toBe(false);
  });

  it.each([
    ["is a file", () => write({ file: "1" }), "file", /cannot be used \(.*; name a folder that can be written to/],
    [
      "has a link in place of its own folder",
      () => symlinkSync("/tmp", join(directory, ".swarm")),
      "",
      /\.swarm is no folder/,
    ],
    [
      "holds the sandbox's store",
      () => {},
      "..",
      /holds the sandbox's store .*objects; keep it elsewhere, or below \.swarm/,
    ],
  ])("is refused when it %s", async (_, prepare, path, message) => {
    prepare();
    const hold = sandboxOf().hold(join(directory, path));
    await expect(hold).rejects.toThrow(InvalidInputError);
    await expect(hold).rejects.toMatchObject({ field: "workspace", message: expect.stringMatching(message) });
    expect(existsSync(join(directory, path, ".swarm/lock"))).toBe(false);
  });

  it("may have the store in a folder that is no part of it", async () => {
    const own = localSandbox({ store: join(directory, ".swarm/runs/objects"), isolation: "none" });
    const held = await own.hold(directory);
    await own.blobs.put("a blob");
    expect(await held.snapshot()).toBe(await snapshotOf({}));
    held.release();
    expect(readdirSync(join(directory, ".swarm"))).toEqual(["runs"]);
  });

  it("is captured without what is no part of a snapshot, and says what cannot be", async () => {
    write({ "a.py": "1", ".git/HEAD": "ref", "node_modules/m/i.js": "1", "p/__pycache__/a.pyc": "1" });
    const held = await sandboxOf().hold(directory);
    expect(await held.snapshot()).toBe(await snapshotOf({ "a.py": "1" }));
    write({ "b\\c": "1" });
    await expect(held.snapshot()).rejects.toMatchObject({ field: "workspace", code: "INVALID_INPUT" });
    rmSync(join(directory, "b\\c"));
    write({ key: "the-secret-of-the-run" });
    const refused = held.snapshot({ secrets: ["the-secret-of-the-run"] });
    await expect(refused).rejects.toMatchObject({ field: "workspace", message: expect.stringContaining('"key"') });
    const unchanged = held.change(await snapshotOf({}), await snapshotOf({}), { secrets: ["the-secret-of-the-run"] });
    await expect(unchanged).rejects.toMatchObject({ field: "workspace", message: expect.stringContaining('"key"') });
    held.release();
  });
});

describe("changes to it", () => {
  it("are made, and nothing else is touched", async () => {
    write({ same: "1", edit: "1", "gone/f": "1", "becomes/folder/x": "1", "file-then": "1", ".git/HEAD": "ref" });
    write({ "node_modules/m": "1", "theirs/new": "1", "kept/theirs": "1", "kept/gone": "1" });
    chmodSync(join(directory, "edit"), 0o640);
    const before = lstatSync(join(directory, "same"));
    const from = {
      same: "1",
      edit: "1",
      "gone/f": "1",
      "becomes/folder/x": "1",
      "file-then": "1",
      "kept/gone": "1",
    };
    const to = { same: "1", edit: executable("2"), "becomes/folder": "2", "file-then/f": "2", "new/deep/f": "2" };
    expect(await change(from, to)).toEqual([]);
    expect(files()).toEqual({
      same: "1",
      edit: "2",
      "becomes/folder": "2",
      "file-then/f": "2",
      "new/deep/f": "2",
      ".git/HEAD": "ref",
      "node_modules/m": "1",
      "theirs/new": "1",
      "kept/theirs": "1",
    });
    expect(readdirSync(directory)).not.toContain("gone");
    expect(readdirSync(directory)).not.toContain(".swarm");
    expect(lstatSync(join(directory, "edit")).mode & 0o777).toBe(0o750);
    const after = lstatSync(join(directory, "same"));
    expect([after.ino, after.mtimeMs]).toEqual([before.ino, before.mtimeMs]);
    expect(await change(from, to)).toEqual([]);
  });

  it("leave alone what somebody else changed meanwhile, and then change nothing", async () => {
    write({ a: "theirs", b: "1", c: "3", "e/their": "1" });
    const before = files();
    const conflicts = await change({ a: "1", b: "1", c: "1", d: "1" }, { a: "2", b: "2", c: "2", d: "2", e: "2" });
    expect(conflicts).toEqual(expect.arrayContaining(["a", "c", "d", "e"]));
    expect(conflicts).not.toContain("b");
    expect(files()).toEqual(before);
  });

  it("are taken back when one of them cannot be made", async () => {
    write({ a: "1", "b/f": "1", "b/node_modules/m": "1", z: "1" });
    const before = files();
    const from = { a: "1", "b/f": "1", z: "1" };
    // What is no part of a snapshot stands in the way of the file.
    await expect(change(from, { a: "2", b: "2", "n/f": "2" })).rejects.toThrow(/EISDIR|ENOTDIR|ENOTEMPTY|EEXIST/);
    expect(files()).toEqual(before);
    expect(readdirSync(directory).sort()).toEqual(["a", "b", "z"]);
  });

  it("never go through a link", async () => {
    const outside = mkdtempSync(join(folder.path, "outside-"));
    writeFileSync(join(outside, "f"), "theirs");
    symlinkSync(outside, join(directory, "l"));
    const conflicts = await change({}, { "l/f": "2", "l/g": "2" });
    expect(conflicts.length).toBeGreaterThan(0);
    expect(readdirSync(outside).map((name) => readFileSync(join(outside, name), "utf8"))).toEqual(["theirs"]);
  });

  it("are whole or none when their process is killed at any step", { timeout: 120_000 }, async () => {
    const from = { a: "1", "b/f": "1", "c/d/e": "1", f: "1" };
    const to = { a: "2", "b/f": "2", c: "2", "g/h": "2" };
    const [one, other] = await Promise.all([snapshotOf(from), snapshotOf(to)]);
    const outcomes = new Set<string>();
    // Each is a process of its own: some of the steps, to be done in time.
    for (let step = 1; ; step += 5) {
      rmSync(directory, { recursive: true });
      write(from);
      // Ends itself with the n-th of the calls by which a file system is changed.
      const script = `
        import fs from "node:fs";
        import { syncBuiltinESMExports } from "node:module";
        let left = ${step};
        for (const name of ["renameSync", "rmSync", "rmdirSync", "mkdirSync", "writeFileSync"]) {
          const call = fs[name];
          fs[name] = (...args) => {
            if (String(args[0]).includes("${directory}") || String(args[0]).startsWith("/proc/")) left -= 1;
            if (left === 0) process.kill(process.pid, "SIGKILL");
            return call(...args);
          };
        }
        syncBuiltinESMExports();
        const { localSandbox } = await import("@swarm/sandbox");
        const held = await localSandbox({ store: ${JSON.stringify(store())}, isolation: "none" }).hold("${directory}");
        await held.change("${one}", "${other}");
        held.release();`;
      const args = ["--conditions=@swarm/source", "--input-type=module", "-e", script];
      const { signal } = spawnSync(process.execPath, args, { cwd: import.meta.dirname, stdio: "inherit" });
      (await sandboxOf().hold(directory)).release();
      const now = JSON.stringify(files());
      expect([JSON.stringify(from), JSON.stringify(to)].map((text) => sorted(text))).toContain(sorted(now));
      outcomes.add(sorted(now));
      if (signal === null) break;
    }
    expect(outcomes.size).toBe(2);
  });

  it("lead from anything to anything", async () => {
    const path = fc
      .array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 3 })
      .map((names) => names.join("/"));
    const tree = fc.dictionary(path, fc.constantFrom("1", "2"), { maxKeys: 6 }).map((given) => {
      const paths = Object.keys(given).filter(
        (one) => !Object.keys(given).some((other) => one.startsWith(`${other}/`)),
      );
      return Object.fromEntries(paths.map((one) => [one, given[one]!]));
    });
    await fc.assert(
      fc.asyncProperty(tree, tree, async (from, to) => {
        rmSync(directory, { recursive: true });
        mkdirSync(directory);
        write(from);
        expect(await change(from, to)).toEqual([]);
        expect(files()).toEqual(to);
        const folders = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((one) =>
          one.isDirectory(),
        );
        for (const { parentPath, name } of folders) expect(readdirSync(join(parentPath, name))).not.toEqual([]);
      }),
      { numRuns: 100 },
    );
  });
});

function sorted(json: string): string {
  return JSON.stringify(Object.entries(JSON.parse(json)).sort());
}
