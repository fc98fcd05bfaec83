// What a workspace's file operations can reach. They are the same in every tier, and so tried in the one that is everywhere.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { NotFoundError, PathError, type Workspace } from "@swarm/core";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fixture, run, temporaryFolder } from "./support.ts";

const folder = temporaryFolder();
const fx = fixture("process", folder);
const SECRET = "a secret that no workspace holds";
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();

/** What is in a folder, with the content of each file. */
function contentOf(at: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(at, { recursive: true, encoding: "utf8" }).map((name) => {
      const path = join(at, name);
      const stat = lstatSync(path);
      const kind = stat.isSymbolicLink() ? readlinkSync(path) : stat.isFile() ? readFileSync(path, "utf8") : "/";
      return [name, `${stat.mode} ${kind}`];
    }),
  );
}

describe("nothing outside of a workspace is read or changed", () => {
  const NAMES = ["a", "b", "c", "secret"];
  const name = fc.constantFrom(...NAMES);
  const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join("/"));
  const outside = () => join(folder.path, "outside");
  /** Where a link leads: anywhere in the workspace, around it, and outside. */
  const target = fc.oneof(
    path,
    fc.tuple(fc.integer({ min: 1, max: 4 }), path).map(([ups, to]) => `${"../".repeat(ups)}${to}`),
    fc.tuple(fc.integer({ min: 1, max: 4 }), path).map(([ups, to]) => `${"../".repeat(ups)}outside/${to}`),
    path.map((to) => `/workspace/${to}`),
    path.map((to) => join(outside(), to)),
    fc.constantFrom("/workspace", "/workspace/..", "..", ".", "/etc/passwd", "/", outside()),
  );
  const entry = fc.oneof(
    fc.record({ kind: fc.constant("file" as const), path }),
    fc.record({ kind: fc.constant("folder" as const), path }),
    fc.record({ kind: fc.constant("link" as const), path, target: fc.noShrink(target) }),
    fc.record({ kind: fc.constant("hard link" as const), path }),
  );
  const verb = fc.constantFrom(
    "read",
    "write",
    "create",
    "remove",
    "list",
    "list all",
    "run in",
    "snapshot",
    "restore",
  );
  const given = fc.oneof({ weight: 9, arbitrary: path }, { weight: 1, arbitrary: target });

  function make(root: string, { kind, path, ...more }: typeof entry extends fc.Arbitrary<infer E> ? E : never): void {
    const at = join(root, path);
    try {
      // Not through a link, which would be this test's own way out.
      for (let above = dirname(at); above.length > root.length; above = dirname(above))
        if (lstatSync(above, { throwIfNoEntry: false })?.isSymbolicLink()) return;
      mkdirSync(dirname(at), { recursive: true });
      if (kind === "file") writeFileSync(at, "inside", { flag: "wx" });
      else if (kind === "folder") mkdirSync(at);
      else if (kind === "link") symlinkSync((more as { target: string }).target, at);
      else linkSync(join(outside(), "a/secret"), at);
    } catch (error) {
      if (!["EEXIST", "ENOTDIR", "ELOOP"].includes(String((error as NodeJS.ErrnoException).code))) throw error;
    }
  }

  async function use(ws: Workspace, what: string, path: string, empty: string): Promise<string> {
    if (what === "read") return text(await ws.read(path));
    if (what === "write") await ws.write(path, "written");
    if (what === "create") await ws.write(path, "created", { onlyNew: true });
    if (what === "remove") await ws.remove(path);
    if (what === "list") return JSON.stringify(await ws.list(path));
    if (what === "list all") return JSON.stringify(await ws.list(path, { recursive: true }));
    if (what === "run in") return (await ws.exec(["pwd", "-P"], run({ cwd: path }))).output;
    if (what === "snapshot") return text(await fx.sandbox.blobs.get(await ws.snapshot()));
    if (what === "restore") await ws.restore(empty);
    return "";
  }

  it("whatever its files are, and whatever is asked for", async () => {
    mkdirSync(join(outside(), "a/b"), { recursive: true });
    for (const at of ["a/secret", "a/b/secret", "secret", "b"]) writeFileSync(join(outside(), at), SECRET);
    const before = contentOf(outside());
    const ws = await fx.open();
    const host = fx.folderOf(ws);
    const empty = await ws.snapshot();
    const around = () => readdirSync(folder.path).filter((name) => name !== "objects");
    const neighbours = around();
    await fc.assert(
      fc.asyncProperty(
        fc.array(entry, { minLength: 1, maxLength: 8 }),
        fc.array(fc.tuple(verb, given), { minLength: 1, maxLength: 8 }),
        async (entries, uses) => {
          for (const name of readdirSync(host)) rmSync(join(host, name), { recursive: true });
          for (const one of entries) make(host, one);
          const linked = entries.some(({ kind }) => kind === "hard link");
          for (const [what, path] of uses) {
            try {
              const told = await use(ws, what, path, empty);
              if (!linked) expect(told).not.toContain(SECRET);
              if (what === "run in") expect(told).toMatch(/^\/workspace(\/|\n)/);
            } catch (error) {
              if (!(error instanceof PathError || error instanceof NotFoundError)) throw error;
            }
            expect(contentOf(outside())).toEqual(before);
            expect(around()).toEqual(neighbours);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("what is no ordinary file", () => {
  it("is not read past what memory holds, however little of it is on disk", async () => {
    const ws = await fx.open({ small: "1" });
    const before = await ws.snapshot();
    const sparse = openSync(join(fx.folderOf(ws), "sparse"), "w");
    ftruncateSync(sparse, 2 ** 40);
    closeSync(sparse);
    await expect(ws.read("sparse")).rejects.toThrow(/"sparse" has 1099511627776 bytes, and files of up to 67108864/);
    await expect(ws.read("sparse")).rejects.toMatchObject({ name: "PathError", code: "FILE_TOO_LARGE" });
    await expect(ws.snapshot()).rejects.toMatchObject({ code: "FILE_TOO_LARGE", path: "sparse" });
    expect(await ws.list("")).toContainEqual({ path: "sparse", kind: "file", size: 2 ** 40 });
    await ws.restore(before);
    expect(await ws.snapshot()).toBe(before);
  });

  it.runIf(process.getuid?.() === 0)("is not opened where it is a device", async () => {
    const ws = await fx.open();
    // Opening it would wait for ever, as the terminal's would until a line is there.
    await ws.exec(["sh", "-c", "mknod zero c 1 5; mknod console c 5 1; mkfifo pipe"], run());
    for (const path of ["zero", "console", "pipe"]) {
      await expect(ws.read(path)).rejects.toThrow(/is a pipe, socket or device, not a file/);
      await expect(ws.write(path, "x")).rejects.toThrow(/is a pipe, socket or device, not a file/);
    }
    await ws.snapshot();
    for (const path of ["zero", "console", "pipe"]) await ws.remove(path);
    expect(readdirSync(fx.folderOf(ws))).toEqual([]);
  });

  it("is named by bytes that are no text, and is removed with its folder", async () => {
    const ws = await fx.open({ "d/f": "1" });
    await ws.exec(
      ["sh", "-c", "mkdir d/$(printf 'o\\377'); touch d/o*/$(printf 'f\\376'); ln -s $(printf 'o\\377') l"],
      run(),
    );
    expect((await ws.list("", { recursive: true })).map(({ path }) => path)).toEqual(["d", "d/f", "l"]);
    await expect(ws.read("l")).rejects.toThrow(/goes through a link to a name that is not UTF-8/);
    await ws.remove("d");
    expect(readdirSync(fx.folderOf(ws))).toEqual(["l"]);
  });
});

it("creates over nothing that is there", async () => {
  const ws = await fx.open({ file: "old", "folder/f": "1" });
  symlinkSync("nowhere", join(fx.folderOf(ws), "link"));
  const create = (path: string) => ws.write(path, "new", { onlyNew: true });
  await expect(create("file")).rejects.toMatchObject({ name: "PathError", code: "FILE_EXISTS" });
  await expect(create("folder")).rejects.toThrow(/is a folder/);
  await expect(create("link")).rejects.toThrow(/goes through the link/);
  await create("a/b");
  expect(text(await ws.read("a/b"))).toBe("new");
  expect(text(await ws.read("file"))).toBe("old");
  expect(readdirSync(join(fx.folderOf(ws), "a"))).toEqual(["b"]);
  const won = await Promise.allSettled(Array.from({ length: 8 }, () => create("raced")));
  expect(won.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
});

describe.runIf(process.platform === "linux")("while a process swaps a folder for a link", () => {
  let swapper: ChildProcess;
  let ws: Workspace;
  let outside: string;
  beforeEach(async () => {
    ws = await fx.open({ "d/in/f": "inside" });
    outside = join(folder.path, "outside-swapped");
    mkdirSync(join(outside, "in"), { recursive: true });
    for (const at of ["f", "in/f"]) writeFileSync(join(outside, at), SECRET);
    // The same names on both sides, so that nothing but the place tells them apart; and each swap is one step of the system.
    const script = `
import ctypes, os, sys
os.chdir(sys.argv[1])
os.symlink(sys.argv[2], "link")
os.symlink(sys.argv[2] + "/in", "d/link")
swap = lambda one, other: ctypes.CDLL(None).renameat2(-100, one, -100, other, 2)
print("ready", flush=True)
while True:
    for pair in ((b"d", b"link"), (b"d/in", b"d/link")):
        swap(*pair)
        swap(*pair)`;
    const args = ["-c", script, fx.folderOf(ws), outside];
    swapper = spawn("python3", args, { stdio: ["ignore", "pipe", "inherit"] });
    await once(swapper.stdout!, "data");
  });
  afterEach(async () => {
    swapper.kill("SIGKILL");
    if (swapper.exitCode === null && swapper.signalCode === null) await once(swapper, "exit");
    rmSync(outside, { recursive: true });
  });

  it("nothing outside is read, written, made, removed or listed", async () => {
    const before = contentOf(outside);
    const results = { done: 0, refused: 0 };
    const uses: (() => Promise<unknown>)[] = [
      () => ws.read("d/in/f"),
      () => ws.read("d/f"),
      () => ws.write("d/in/f", "inside"),
      () => ws.write("d/new/deep/f", "inside"),
      () => ws.write("d/in/only", "inside", { onlyNew: true }),
      () => ws.list("d", { recursive: true }),
      () => ws.list("", { recursive: true }),
      () => ws.remove("d/in/f"),
      () => ws.remove("d/new"),
    ];
    for (let round = 0; Math.min(results.done, results.refused) < 2_000; round += 1) {
      try {
        const told = await uses[round % uses.length]!();
        if (told instanceof Uint8Array) expect(text(told)).toBe("inside");
        results.done += 1;
      } catch (error) {
        const raced = ["ENOTEMPTY", "ENOENT", "EISDIR"].includes(String((error as NodeJS.ErrnoException).code));
        if (!(error instanceof PathError || error instanceof NotFoundError || raced)) throw error;
        results.refused += 1;
      }
    }
    expect(contentOf(outside)).toEqual(before);
  });
});
