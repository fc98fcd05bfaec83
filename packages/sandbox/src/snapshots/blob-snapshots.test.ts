import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Blobs, type Files, InvalidInputError, NotFoundError, type Snapshots, type TaskSource } from "@swarm/core";
import { blobSnapshots, directoryBlobs } from "@swarm/sandbox";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

let directory: string;
let blobs: Blobs;
let snapshots: Snapshots;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "snapshots-"));
  blobs = directoryBlobs(join(directory, "objects"));
  snapshots = blobSnapshots(blobs);
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const put = (files: Files) => snapshots.put({ files });
const SCRIPT = { base64: Buffer.from("#!/bin/sh\n").toString("base64"), executable: true };

describe("a source with a secret in it", () => {
  const secrets = ["correct-horse-battery"];

  it("is refused by the file's name, and nothing of it is kept", async () => {
    const source = join(directory, "source");
    mkdirSync(join(source, "deploy"), { recursive: true });
    writeFileSync(join(source, "main.py"), "print(1)\n");
    writeFileSync(join(source, "deploy", ".env"), Buffer.from("\xffKEY=correct-horse-battery\n", "latin1"));
    const refused = snapshots.put({ directory: source }, { secrets });
    await expect(refused).rejects.toMatchObject({ code: "INVALID_INPUT", field: "source" });
    await expect(refused).rejects.toThrow(/"deploy\/\.env" holds a value that is named as a secret/);
    await expect(refused).rejects.not.toThrow(secrets[0]);
    expect(existsSync(join(directory, "objects"))).toBe(false);
    expect(await snapshots.list(await snapshots.put({ directory: source }))).toEqual(["deploy/.env", "main.py"]);
  });

  it("is taken where only what is ignored or not committed holds it", async () => {
    const source = join(directory, "source");
    mkdirSync(join(source, "node_modules"), { recursive: true });
    writeFileSync(join(source, "node_modules", "key"), "correct-horse-battery");
    writeFileSync(join(source, "main.py"), "print(1)\n");
    expect(await snapshots.list(await snapshots.put({ directory: source }, { secrets }))).toEqual(["main.py"]);
  });
});

describe("a snapshot of files", () => {
  it("is the same for the same files, and gives them back", async () => {
    const files = {
      "b/c": "text\n",
      a: { base64: "//79" },
      run: SCRIPT,
      bom: "\uFEFFx",
      ["__proto__"]: "own",
      empty: "",
    };
    const id = await put(files);
    expect(await put(Object.fromEntries(Object.entries(files).reverse()))).toBe(id);
    expect(await snapshots.list(id)).toEqual(Object.keys(files).sort());
    expect(await snapshots.files(id)).toEqual(files);
    expect(Buffer.from(await snapshots.read(id, "b/c")).toString()).toBe("text\n");
    await expect(snapshots.read(id, "b")).rejects.toThrow(NotFoundError);
    await expect(snapshots.read(id, "none")).rejects.toThrow(NotFoundError);
    await expect(snapshots.read(id, "../x")).rejects.toThrow(/PATH_REFUSED|leaves/);
  });

  it.each<[string, Files, RegExp]>([
    ["a path that leaves", { "../x": "" }, /source\.files\["\.\.\/x"\]: .*leaves/],
    ["an ignored file", { "node_modules/x.js": "" }, /source\.files\["node_modules\/x\.js"\]/],
    ["a file that is a folder too", { a: "", "a/b": "" }, /source\.files\["a"\]/],
  ])("refuses %s", async (_, files, message) => {
    await expect(put(files)).rejects.toThrow(message);
    await expect(put(files)).rejects.toThrow(InvalidInputError);
  });
});

describe("a snapshot of a directory", () => {
  it("holds its files, links and executables, and nothing that is ignored", async () => {
    const source = join(directory, "source");
    for (const folder of ["p/__pycache__", ".git", "q/node_modules/m", "empty"])
      mkdirSync(join(source, folder), { recursive: true });
    for (const path of ["p/a.py", "p/__pycache__/a.pyc", ".git/config", "q/node_modules/m/x", "old.pyc"]) {
      writeFileSync(join(source, path), path);
    }
    writeFileSync(join(source, "run"), "#!/bin/sh\n");
    chmodSync(join(source, "run"), 0o755);
    symlinkSync("p/a.py", join(source, "inside"));
    symlinkSync("/etc/passwd", join(source, "outside"));
    execFileSync("mkfifo", [join(source, "pipe")]);
    symlinkSync(source, join(directory, "link-to-source"));

    const id = await snapshots.put({ directory: join(directory, "link-to-source") });
    expect(await snapshots.list(id)).toEqual(["inside", "outside", "p/a.py", "run"]);
    expect(await snapshots.files(id)).toEqual({ "p/a.py": "p/a.py", run: SCRIPT });
    expect(Buffer.from(await snapshots.read(id, "inside")).toString()).toBe("p/a.py");
    await expect(snapshots.read(id, "outside")).rejects.toThrow(/leaves the workspace/);
  });

  it("says what is wrong with it", async () => {
    writeFileSync(join(directory, "file"), "");
    mkdirSync(join(directory, "odd"));
    writeFileSync(Buffer.concat([Buffer.from(join(directory, "odd/")), Buffer.from([0xff])]), "");
    for (const name of ["none", "file", "odd"]) {
      const refused = snapshots.put({ directory: join(directory, name) });
      await expect(refused).rejects.toThrow(InvalidInputError);
      await expect(refused).rejects.toMatchObject({ field: "source.directory" });
    }
  });
});

describe("a snapshot of a revision", () => {
  let repository: string;
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "core.autocrlf=false", ...args], {
      cwd: repository,
      stdio: ["ignore", "pipe", "pipe"],
    })
      .toString()
      .trim();
  const commit = (message: string) => {
    git("add", "-A", "-f");
    git("commit", "-q", "-m", message);
    return git("rev-parse", "HEAD");
  };

  beforeEach(() => {
    repository = join(directory, "repository");
    mkdirSync(join(repository, "d"), { recursive: true });
    git("init", "-q");
    writeFileSync(
      join(repository, ".gitattributes"),
      "*.txt text eol=crlf\nhidden export-ignore\nsubst export-subst\n",
    );
    writeFileSync(join(repository, "d/é ü.txt"), "one\ntwo\n");
    writeFileSync(join(repository, "crlf"), "a\r\n");
    writeFileSync(join(repository, "hidden"), "seen\n");
    writeFileSync(join(repository, "subst"), "$Format:%H$\n");
    writeFileSync(join(repository, "bin"), Buffer.from([0, 255, 10, 13]));
    writeFileSync(join(repository, "run"), "#!/bin/sh\n");
    chmodSync(join(repository, "run"), 0o755);
    symlinkSync("run", join(repository, "link"));
  });

  it("holds its files as they were committed, and no history", async () => {
    const first = commit("one");
    writeFileSync(join(repository, "later"), "later");
    git("tag", "v1", first);
    commit("two");
    writeFileSync(join(repository, "uncommitted"), "x");

    const id = await snapshots.put({ repository, revision: first });
    expect(await snapshots.list(id)).toEqual([
      ".gitattributes",
      "bin",
      "crlf",
      "d/é ü.txt",
      "hidden",
      "link",
      "run",
      "subst",
    ]);
    expect(await snapshots.files(id)).toMatchObject({
      "d/é ü.txt": "one\ntwo\n",
      crlf: "a\r\n",
      hidden: "seen\n",
      subst: "$Format:%H$\n",
      bin: { base64: Buffer.from([0, 255, 10, 13]).toString("base64") },
      run: SCRIPT,
    });
    expect(await snapshots.put({ repository, revision: "v1" })).toBe(id);
    expect(await snapshots.put({ repository, revision: first.slice(0, 10) })).toBe(id);
    expect(await snapshots.list(await snapshots.put({ repository, revision: "HEAD" }))).toContain("later");
  });

  it("does not let the user's configuration in", async () => {
    const revision = commit("one");
    const clean = await snapshots.put({ repository, revision });
    const config = join(directory, "config");
    writeFileSync(config, "[core]\n\tautocrlf = true\n\tquotePath = true\n[broken\n");
    process.env["GIT_CONFIG_GLOBAL"] = config;
    process.env["GIT_DIR"] = "/nowhere";
    try {
      expect(await snapshots.put({ repository, revision })).toBe(clean);
    } finally {
      delete process.env["GIT_CONFIG_GLOBAL"];
      delete process.env["GIT_DIR"];
    }
  });

  it("says which field is wrong", async () => {
    commit("one");
    for (const revision of ["none", "--help", "-p", "--output=x", "HEAD\nHEAD", "HEAD:run", "a b", "0".repeat(40)]) {
      await expect(snapshots.put({ repository, revision }), revision).rejects.toMatchObject({
        field: "source.revision",
      });
    }
    mkdirSync(join(directory, "plain"));
    for (const path of [
      join(directory, "none"),
      join(directory, "plain"),
      join(repository, "d"),
      join(repository, "run"),
    ]) {
      const refused = snapshots.put({ repository: path, revision: "HEAD" });
      await expect(refused, path).rejects.toMatchObject({ field: "source.repository" });
    }
    await expect(snapshots.put({ directory: "" } as TaskSource)).rejects.toThrow(InvalidInputError);
  });
});

describe("snapshots together", () => {
  it("differ by path", async () => {
    const from = await put({ a: "1", b: "1", c: "1", run: "#!/bin/sh\n" });
    const to = await put({ a: "1", b: "2", d: "1", run: SCRIPT });
    expect(await snapshots.diff(from, to)).toEqual([
      { path: "b", kind: "changed" },
      { path: "c", kind: "removed" },
      { path: "d", kind: "added" },
      { path: "run", kind: "changed" },
    ]);
    expect(await snapshots.diff(from, from)).toEqual([]);
  });

  it("lie over each other, the last one on top", async () => {
    const base = await put({ a: "base", b: "base", "d/x": "base", f: "base" });
    const over = await snapshots.overlay(base, [
      await put({ a: "one", d: "file now" }),
      await put({ a: "two", "f/y": "below" }),
    ]);
    expect(await snapshots.files(over)).toEqual({ a: "two", b: "base", d: "file now", "f/y": "below" });
    expect(await snapshots.overlay(base, [])).toBe(base);
  });

  it("merge what each fork changed, and keep the base where they disagree", async () => {
    const base = await put({ a: "0", b: "0", c: "0", d: "0" });
    const one = await put({ a: "1", b: "1", c: "0", d: "0", n: "same", "x/y": "1" });
    const two = await put({ a: "0", b: "2", d: "0", n: "same", x: "2" });
    const { snapshot, conflicts } = await snapshots.merge(base, [one, two]);
    expect(conflicts).toEqual(["b", "x", "x/y"]);
    expect(await snapshots.files(snapshot)).toEqual({ a: "1", b: "0", d: "0", n: "same" });
    expect(await snapshots.merge(base, [])).toEqual({ snapshot: base, conflicts: [] });
  });

  it("keep a file that one fork changed and another made a folder of", async () => {
    const base = await put({ a: "0" });
    const merged = await snapshots.merge(base, [await put({ "a/b": "1" }), await put({ a: "2" })]);
    expect(merged).toEqual({ snapshot: base, conflicts: ["a", "a/b"] });
  });
});
