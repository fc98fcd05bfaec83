import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Sandbox, type SnapshotId, workspacePathProblem } from "@swarm/core";
import { localSandbox } from "@swarm/sandbox";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { firstClash, type Leaf } from "./tree.ts";
import { Trees } from "./trees.ts";

const { signal } = new AbortController();
let directory: string;
let sandbox: Sandbox;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "patch-"));
  sandbox = localSandbox({ store: join(directory, "objects"), isolation: "none" });
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** What a path is: text or bytes of a file, of an executable one, or the target of a link. */
type Made = string | Uint8Array | { run: string } | { link: string };

async function snapshot(files: Record<string, Made>): Promise<SnapshotId> {
  const tree = new Map<string, Leaf>();
  for (const [path, made] of Object.entries(files)) {
    if (typeof made === "object" && "link" in made) tree.set(path, { kind: "link", target: made.link });
    else {
      const executable = typeof made === "object" && "run" in made;
      tree.set(path, { kind: "file", sha256: await sandbox.blobs.put(executable ? made.run : made), executable });
    }
  }
  return await new Trees(sandbox.blobs).build(tree);
}

/** What `git apply` makes of `from` with the patch to `to`. */
async function applied(from: SnapshotId, to: SnapshotId): Promise<SnapshotId> {
  await using workspace = await sandbox.open({ snapshot: from, lane: "x" }, { signal });
  await workspace.write("to-apply.patch", await sandbox.snapshots.patch(from, to));
  const script =
    "git init -q && mv to-apply.patch .git/ && { test ! -s .git/to-apply.patch || git apply .git/to-apply.patch; }";
  const { output, code } = await workspace.exec(["sh", "-c", script], { signal, timeoutMs: 20_000 });
  if (code !== 0) throw new Error(output);
  return await workspace.snapshot();
}

const NO_FILES = {};
const LINES = Array.from({ length: 30 }, (_, index) => `line ${index}\n`);

describe("git apply makes the one side of the other, both ways", () => {
  it.each<[string, Record<string, Made>, Record<string, Made>]>([
    ["new files, also empty ones and in new folders", NO_FILES, { a: "1\n", empty: "", "d/e/f": "x" }],
    ["a changed line", { a: LINES.join("") }, { a: LINES.with(15, "changed\n").join("") }],
    ["a renamed file", { old: LINES.join("") }, { "d/new": LINES.join("") }],
    ["a missing end of the last line", { a: "1\n2\n" }, { a: "1\n2" }],
    ["CRLF, and line ends that are mixed", { a: "1\r\n2\r\n3\r\n", b: "1\n" }, { a: "1\r\n2\n3\r\n", b: "1\r\n" }],
    [
      "bytes that are no text",
      { a: Uint8Array.of(0, 1, 255), b: "caf\n" },
      { a: Uint8Array.of(0, 2, 255), b: Buffer.from("caf\xe9\n", "latin1") },
    ],
    ["the executable bit", { a: "#!/bin/sh\n", b: { run: "x" } }, { a: { run: "#!/bin/sh\n" }, b: "x" }],
    [
      "odd names",
      { "my file é.txt": "1\n", 'q"uote': "1\n", "tab\tnl\n": "1\n" },
      { "my file é.txt": "2\n", "-p": "1\n", "a b/日本": "1\n" },
    ],
    ["empty files in folders whose names end in a blank", { "a /b": "", "é /c": { run: "" } }, { "a /b": { run: "" } }],
    ["links", { l: { link: "a" }, m: { link: "/nowhere" } }, { l: { link: "b/c" }, m: "now a file\n" }],
    ["a link that becomes a folder", { "d/x": "1\n", l: { link: "d" } }, { "d/x": "1\n", "l/x": "1\n" }],
    ["a file that becomes a folder", { a: "1\n" }, { "a/b": "1\n" }],
    [
      "attributes that would hide a change",
      { ".gitattributes": "* -text -diff\n", a: "1\n" },
      { ".gitattributes": "* binary\n", a: "1\r\n2\n" },
    ],
  ])("%s", async (_, one, other) => {
    const [a, b] = [await snapshot(one), await snapshot(other)];
    expect(await applied(a, b)).toBe(b);
    expect(await applied(b, a)).toBe(a);
  });

  it("for any two trees", async () => {
    const name = fc.constantFrom(
      "a",
      "b",
      "c d",
      "é",
      "x.txt",
      "-p",
      'q"',
      "t\tn\n",
      " lead",
      "trail ",
      "...",
      "\r",
      "~",
      "日本",
      "\u2028",
      "a:b",
      "\x7f",
      "null",
      "ok\ufffd",
      ".git~",
      ".gitattributes",
    );
    const path = fc
      .array(name, { minLength: 1, maxLength: 3 })
      .map((names) => names.join("/"))
      .filter((path) => workspacePathProblem(path) === null);
    const lines = fc
      .array(fc.constantFrom("one\n", "two\n", "\n", "three\r\n", " \t\n", "end"), { maxLength: 12 })
      .map((all) => all.join(""));
    // None leads to itself: `git apply` cannot make a folder where such a link was.
    const link = path.map((link) => ({ link: `to/${link}` }));
    const made = fc.oneof(
      { arbitrary: lines, weight: 5 },
      { arbitrary: lines.map((run) => ({ run })), weight: 1 },
      { arbitrary: fc.uint8Array({ maxLength: 20 }), weight: 1 },
      { arbitrary: link, weight: 1 },
    );
    const files = fc.dictionary(path, made, { maxKeys: 6 }).filter((all) => !firstClash(new Map(Object.entries(all))));
    await fc.assert(
      fc.asyncProperty(files, files, async (one, other) => {
        const [a, b] = [await snapshot(one), await snapshot(other)];
        expect(await applied(a, b)).toBe(b);
      }),
      { numRuns: 40 },
    );
  });
});

it("is nothing between equal snapshots, and names files as they are called", async () => {
  const [a, b] = [await snapshot({ "my file é.txt": "1\n" }), await snapshot({ "my file é.txt": "2\n" })];
  expect(await sandbox.snapshots.patch(a, a)).toHaveLength(0);
  const patch = Buffer.from(await sandbox.snapshots.patch(a, b)).toString();
  expect(patch).toMatch(/^diff --git a\/my file é\.txt b\/my file é\.txt\nindex [0-9a-f]{40}\.\.[0-9a-f]{40} 100644\n/);
  expect(patch).toMatch(/\n@@ -1 \+1 @@\n-1\n\+2\n$/);
});

it("holds the bytes as they are, whatever attributes say of line ends", async () => {
  const attributes = "* text eol=lf ident -diff\n";
  const from = await snapshot({ ".gitattributes": attributes, a: "$Id$\n1\n" });
  const to = await snapshot({ ".gitattributes": attributes, a: "$Id$\n1\r\n" });
  expect(Buffer.from(await sandbox.snapshots.patch(from, to)).toString()).toContain(" $Id$\n-1\n+1\r\n");
});

describe("a patch of work in a repository", () => {
  let repository: string;
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], {
      cwd: repository,
      stdio: ["ignore", "pipe", "pipe"],
    }).toString();
  beforeEach(() => {
    repository = mkdtempSync(join(directory, "repository-"));
    git("init", "-q");
    for (const [path, text] of Object.entries({
      ".gitignore": "build/\n*.log\n!keep.log\n",
      "a.py": "1\n",
      "b.py": "1\n",
    })) {
      writeFileSync(join(repository, path), text);
    }
    git("add", "-A");
    git("commit", "-q", "-m", "one");
  });
  const put = (path: string, text: string) => {
    mkdirSync(join(repository, path, ".."), { recursive: true });
    writeFileSync(join(repository, path), text);
  };

  it("P11: holds what was deleted and what is new, and leaves the user's index alone", async () => {
    const base = await sandbox.snapshots.put({ repository, revision: "HEAD" });
    rmSync(join(repository, "a.py"));
    put("pkg/new.py", "n\n");
    const [status, index] = [git("status", "--porcelain"), readFileSync(join(repository, ".git/index"))];
    const patch = await sandbox.snapshots.patch(base, await sandbox.snapshots.put({ directory: repository }));
    expect(readFileSync(join(repository, ".git/index"))).toEqual(index);
    expect(git("status", "--porcelain")).toBe(status);

    git("stash", "-q", "-u");
    writeFileSync(join(repository, ".git/to-apply"), patch);
    git("apply", ".git/to-apply");
    expect(git("status", "--porcelain")).toBe(status);
    expect(readFileSync(join(repository, "pkg/new.py"), "utf8")).toBe("n\n");
  });

  it("P7, P12: holds every new file but what the project ignores", async () => {
    const base = await sandbox.snapshots.put({ repository, revision: "HEAD" });
    for (const path of ["pkg/new.py", "new folder/é.py", "keep.log", "build.py", ":(top)x"]) put(path, "1\n");
    put("pkg/empty.py", "");
    put("pkg/no-end.py", "1");
    for (const path of ["build/lib/x.py", "pkg/build/y.py", "run.log", "__pycache__/a.pyc", "node_modules/m/i.js"])
      put(path, "1\n");
    put(".gitignore", "build/\n*.log\n!keep.log\npkg/\n");
    const after = await sandbox.snapshots.put({ directory: repository });
    const patch = Buffer.from(await sandbox.snapshots.patch(base, after)).toString();
    expect(patch.match(/(?<=^diff --git a\/)\S+(?: \S+)?(?= b\/)/gm)).toEqual([
      ".gitignore",
      ":(top)x",
      "build.py",
      "keep.log",
      "new folder/é.py",
      "pkg/empty.py",
      "pkg/new.py",
      "pkg/no-end.py",
    ]);
    const { snapshot, leftOut } = await sandbox.snapshots.delivered(base, after);
    expect(leftOut).toEqual(["build/lib/x.py", "pkg/build/y.py", "run.log"]);
    expect(await sandbox.snapshots.diff(snapshot, after)).toEqual(leftOut.map((path) => ({ path, kind: "added" })));
    expect(Buffer.from(await sandbox.snapshots.patch(base, snapshot)).toString()).toBe(patch);
  });

  it("P7: over a file that is there already is refused by git, which asks nothing and changes nothing", async () => {
    const base = await sandbox.snapshots.put({ repository, revision: "HEAD" });
    put("lib/x.py", "1\n");
    put("a.py", "2\n");
    const patch = await sandbox.snapshots.patch(base, await sandbox.snapshots.put({ directory: repository }));
    put("a.py", "1\n");
    put("lib/x.py", "other\n");
    writeFileSync(join(repository, ".git/to-apply"), patch);
    expect(() => git("apply", ".git/to-apply")).toThrow(/lib\/x\.py: already exists in working directory/);
    expect(readFileSync(join(repository, "a.py"), "utf8")).toBe("1\n");
    expect(readFileSync(join(repository, "lib/x.py"), "utf8")).toBe("other\n");
  });
});

it("P3: keeps its last line, also where that is a single blank", async () => {
  const [from, to] = [await snapshot({ a: "1\n\n" }), await snapshot({ a: "2\n\n" })];
  expect(Buffer.from(await sandbox.snapshots.patch(from, to)).toString()).toMatch(/\+2\n \n$/);
  expect(await applied(from, to)).toBe(to);
});
