import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { NotFoundError, PathError, SandboxError, type Workspace } from "@swarm/core";
import { describe, expect, it } from "vitest";
import { fixture, never, processesWith, run, temporaryFolder, tiers, uniqueSleep } from "./support.ts";

const folder = temporaryFolder();
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
const executable = (script: string) => ({ base64: Buffer.from(script).toString("base64"), executable: true });

describe.each(tiers)("a workspace in the %s tier", (tier) => {
  const fx = fixture(tier, folder);
  const sh = (ws: Workspace, script: string) => ws.exec(["sh", "-c", script], run());

  describe("keeps to itself", () => {
    const verbs = {
      read: (ws: Workspace, path: string) => ws.read(path),
      write: (ws: Workspace, path: string) => ws.write(path, "owned"),
      remove: (ws: Workspace, path: string) => ws.remove(path),
      list: (ws: Workspace, path: string) => ws.list(path),
    };

    it("whatever a path says", async () => {
      const ws = await fx.open({ a: "1" });
      const host = fx.folderOf(ws);
      mkdirSync(`${host}-2`);
      const paths = [
        "../x",
        "a/../../x",
        "/etc/passwd",
        `${host}/a`,
        `${host}-2/x`,
        "a\0b",
        "C:\\x",
        "C:x",
        "..\\x",
        "../workspace-2/x",
        "./a",
        "a//b",
      ];
      for (const path of paths) {
        for (const [verb, use] of Object.entries(verbs))
          await expect(use(ws, path), `${verb} ${path}`).rejects.toThrow(PathError);
      }
      for (const path of ["", "."]) {
        for (const use of [verbs.read, verbs.write, verbs.remove])
          await expect(use(ws, path)).rejects.toThrow(PathError);
      }
      expect(readdirSync(`${host}-2`)).toEqual([]);
    });

    it("whatever a link in it leads to", async () => {
      const ws = await fx.open({ "in/f": "kept" });
      const host = fx.folderOf(ws);
      const outside = join(folder.path, "outside");
      mkdirSync(outside, { recursive: true });
      writeFileSync(join(outside, "secret"), "secret");
      await sh(
        ws,
        `ln -s ${outside} out; ln -s ${outside}/secret f; ln -s ../../outside up; ln -s ${outside}/none dangling`,
      );
      await sh(ws, "ln -s in/../../../outside winding; ln -s circle circle; ln -s out/secret twice");
      for (const path of [
        "out",
        "out/secret",
        "out/none",
        "f",
        "up/secret",
        "dangling",
        "winding/secret",
        "circle",
        "twice",
      ]) {
        await expect(ws.read(path), path).rejects.toThrow(PathError);
        await expect(ws.write(path, "owned"), path).rejects.toThrow(PathError);
        await expect(ws.list(path), path).rejects.toThrow(PathError);
      }
      for (const path of ["out/secret", "up/secret", "winding/secret"])
        await expect(ws.remove(path)).rejects.toThrow(PathError);
      expect(readdirSync(outside)).toEqual(["secret"]);
      expect(readFileSync(join(outside, "secret"), "utf8")).toBe("secret");

      await ws.remove("out");
      await ws.remove("dangling");
      expect(existsSync(join(host, "out"))).toBe(false);
      expect(readdirSync(outside)).toEqual(["secret"]);
    });

    it("and follows the links that stay inside, to read", async () => {
      const ws = await fx.open({ "in/deep/f": "kept" });
      await sh(ws, "ln -s in/deep near; ln -s /workspace/in far; ln -s ../in/deep/f in/up; ln -s near/f chain");
      for (const path of ["near/f", "far/deep/f", "in/up", "chain"])
        expect(text(await ws.read(path)), path).toBe("kept");
      expect(await ws.list("far")).toMatchObject([
        { path: "far/deep", kind: "directory" },
        { path: "far/up", kind: "link" },
      ]);
      for (const path of ["near/f", "near/new", "chain"]) {
        await expect(ws.write(path, "x"), path).rejects.toThrow(/through the link.*name the real path/);
      }
      expect(text(await ws.read("in/deep/f"))).toBe("kept");
    });

    it("when its own folder is reached through a link", async () => {
      const real = join(folder.path, "real-tmp");
      mkdirSync(real, { recursive: true });
      rmSync(join(folder.path, "linked-tmp"), { force: true });
      symlinkSync(real, join(folder.path, "linked-tmp"));
      process.env["TMPDIR"] = join(folder.path, "linked-tmp");
      try {
        const snapshot = await fx.sandbox.snapshots.put({ files: { a: "1" } });
        await using ws = await fx.sandbox.open({ snapshot, lane: "x" }, { signal: never });
        await ws.write("d/b", "2");
        expect(await ws.list("", { recursive: true })).toHaveLength(3);
        const shown = await sh(ws, "pwd -P; cat d/b");
        expect(shown.output).toBe("/workspace\n2");
      } finally {
        process.env["TMPDIR"] = folder.path;
      }
      expect(readdirSync(real)).toEqual([]);
    });

    it("with a hard link to a file elsewhere", async () => {
      const ws = await fx.open();
      const elsewhere = join(folder.path, "elsewhere");
      writeFileSync(elsewhere, "theirs");
      linkSync(elsewhere, join(fx.folderOf(ws), "mine"));
      await ws.write("mine", "changed");
      expect(readFileSync(elsewhere, "utf8")).toBe("theirs");
    });
  });

  describe("holds files", () => {
    it("of any content, and makes the folders that they need", async () => {
      const ws = await fx.open();
      const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
      await ws.write("a/b/c.bin", bytes);
      await ws.write("ä é.txt", "ü");
      expect(Uint8Array.from(await ws.read("a/b/c.bin"))).toEqual(bytes);
      expect(await ws.list("", { recursive: true })).toEqual([
        { path: "a", kind: "directory", size: 0 },
        { path: "a/b", kind: "directory", size: 0 },
        { path: "a/b/c.bin", kind: "file", size: 256 },
        { path: "ä é.txt", kind: "file", size: 2 },
      ]);
      expect(await ws.list("a")).toEqual([{ path: "a/b", kind: "directory", size: 0 }]);
      await ws.remove("a");
      expect(await ws.list("")).toMatchObject([{ path: "ä é.txt" }]);
      await ws.remove("ä é.txt");
      expect(await ws.list(".")).toEqual([]);
    });

    it("with modes that outlast a change", async () => {
      const ws = await fx.open({ "run.sh": executable("#!/bin/sh\n"), plain: "" });
      const mode = (path: string) => statSync(join(fx.folderOf(ws), path)).mode & 0o7777;
      const umask = process.umask();
      expect(mode("run.sh")).toBe(0o777 & ~umask);
      await sh(ws, "chmod 0750 run.sh; chmod 0600 plain; touch special; chmod 6755 special");
      await ws.write("run.sh", "#!/bin/sh\necho 1\n");
      await ws.write("plain", "x");
      await ws.write("special", "x");
      await ws.write("new", "x");
      expect([mode("run.sh"), mode("plain"), mode("special"), mode("new")]).toEqual([
        0o750,
        0o600,
        0o755,
        0o666 & ~umask,
      ]);
    });

    it("and says what is wrong with a path", async () => {
      const ws = await fx.open({ "d/f": "1" });
      await sh(ws, "mkfifo pipe");
      await expect(ws.read("none")).rejects.toThrow(NotFoundError);
      await expect(ws.read("d/none")).rejects.toThrow(NotFoundError);
      await expect(ws.list("none")).rejects.toThrow(NotFoundError);
      await expect(ws.remove("none")).rejects.toThrow(NotFoundError);
      await expect(ws.read("d")).rejects.toThrow(/"d" is a folder, not a file/);
      await expect(ws.write("d", "")).rejects.toThrow(/"d" is a folder, not a file/);
      await expect(ws.write("d/f/g", "")).rejects.toThrow(/lies below a file/);
      await expect(ws.list("d/f")).rejects.toThrow(/is a file, not a folder/);
      for (const use of [ws.read("pipe"), ws.write("pipe", "")])
        await expect(use).rejects.toThrow(/is a pipe, socket or device/);
      expect(await ws.list("")).toHaveLength(1);
    });
  });

  describe("is captured and restored", () => {
    it("as it was, with links and executables", async () => {
      const ws = await fx.open({ "a/run": executable("#!/bin/sh\necho ran\n"), "b/x": "1", c: "" });
      await sh(ws, "ln -s ../b/x a/rel; ln -s /workspace/b abs; ln -s /nowhere gone");
      const before = await ws.snapshot();
      expect(await fx.sandbox.snapshots.list(before)).toEqual(["a/rel", "a/run", "abs", "b/x", "c", "gone"]);

      await sh(
        ws,
        "rm -r a abs; mkdir abs; echo 2 > abs/y; rm b/x; mkdir -p b/x/y; echo 3 > b/x/y/z; chmod +x c; mkdir -p e/f; mkfifo p; mkdir node_modules; touch node_modules/m $(printf 'n\\377')",
      );
      await ws.restore(before);
      expect(await ws.snapshot()).toBe(before);
      expect((await ws.list("", { recursive: true })).map(({ path }) => path)).toEqual([
        "a",
        "a/rel",
        "a/run",
        "abs",
        "b",
        "b/x",
        "c",
        "gone",
      ]);
      expect(readdirSync(fx.folderOf(ws)).sort()).toEqual(["a", "abs", "b", "c", "gone"]);
      expect((await sh(ws, "./a/run; cat abs/x a/rel; test -x c")).output).toBe("ran\n11");

      const other = await fx.sandbox.open({ snapshot: before, lane: "other" }, { signal: never });
      expect((await other.exec(["sh", "-c", "./a/run; cat abs/x"], run())).output).toBe("ran\n1");
      expect(await other.snapshot()).toBe(before);
      await other[Symbol.asyncDispose]();
    });

    it("without touching what is right", async () => {
      const ws = await fx.open({ same: "1", other: "1" });
      const inode = (path: string) => lstatSync(join(fx.folderOf(ws), path)).ino;
      const before = await ws.snapshot();
      const same = inode("same");
      await ws.write("other", "2");
      await ws.restore(before);
      expect(inode("same")).toBe(same);
      expect(text(await ws.read("other"))).toBe("1");
    });

    it("as a whole, or is no workspace until it is", async () => {
      const ws = await fx.open({ a: "1", b: "1" });
      const before = await ws.snapshot();
      await ws.write("a", "2");
      await ws.write("b", "2");
      const store = join(folder.path, "objects");
      const lost = await fx.sandbox.blobs.put("1");
      rmSync(join(store, lost.slice(0, 2), lost.slice(2)));
      await expect(ws.restore(before)).rejects.toThrow(NotFoundError);
      for (const use of [ws.list(""), ws.read("a"), ws.write("c", "1"), ws.exec(["true"], run()), ws.snapshot()]) {
        await expect(use).rejects.toThrow(/did not end/);
      }
      await fx.sandbox.blobs.put("1");
      await ws.restore(before);
      expect(await ws.snapshot()).toBe(before);
    });

    it("however alike two states look from outside", async () => {
      const ws = await fx.open();
      const file = join(fx.folderOf(ws), "f");
      const ids = new Set<string>();
      for (let round = 0; round < 100; round += 1) {
        writeFileSync(file, String(round).padStart(4, "0"));
        utimesSync(file, 1, 1);
        ids.add(await ws.snapshot());
      }
      expect(ids.size).toBe(100);
    });

    it("after an old file was changed in place without a new time or size", async () => {
      const ws = await fx.open({ f: "aaaa" });
      const file = join(fx.folderOf(ws), "f");
      utimesSync(file, 1, 1);
      await new Promise((resolve) => setTimeout(resolve, 40));
      const first = await ws.snapshot();
      expect(await ws.snapshot()).toBe(first);
      await sh(ws, "printf bbbb > f; touch -d @1 f");
      const second = await ws.snapshot();
      expect(text(await fx.sandbox.snapshots.read(second, "f"))).toBe("bbbb");
    });

    it("looking only at what was touched, when that is said", async () => {
      const ws = await fx.open({ "a/x": "1", "b/x": "1", "c/x": "1", d: "1" });
      await ws.snapshot();
      await ws.write("a/x", "2");
      await ws.remove("b");
      await ws.write("c/x", "2");
      await ws.remove("d");
      await ws.write("d/e/f", "2");
      const part = await ws.snapshot(["a/x", "b", "d/e/f"]);
      expect(await fx.sandbox.snapshots.files(part)).toEqual({ "a/x": "2", "c/x": "1", "d/e/f": "2" });
      const whole = await ws.snapshot();
      expect(await ws.snapshot([])).toBe(whole);
      expect(await fx.sandbox.snapshots.files(whole)).toEqual({ "a/x": "2", "c/x": "2", "d/e/f": "2" });
      await sh(ws, "ln -s a l");
      expect(await fx.sandbox.snapshots.list(await ws.snapshot(["l/x"]))).toContain("l");
    });

    it("without what is no file, or no one's work", async () => {
      const ws = await fx.open({ "a.py": "1" });
      const before = await ws.snapshot();
      await sh(ws, "mkfifo pipe; python3 -c \"import socket; socket.socket(socket.AF_UNIX).bind('s')\"");
      await sh(ws, "mkdir -p .git/objects p/__pycache__ .pytest_cache node_modules/m q/node_modules empty");
      await sh(
        ws,
        "for f in .git/HEAD p/__pycache__/a.pyc b.pyc .pytest_cache/v node_modules/m/i.js q/node_modules/x; do echo > $f; done",
      );
      expect(await ws.snapshot()).toBe(before);
    });

    it.each([
      [
        "a file that is not UTF-8",
        "touch $(printf 'a\\377')",
        /it has a name that is not UTF-8 \(a\\xff\)\. Remove it, or/,
      ],
      ["a folder that is not UTF-8", "mkdir -p d/$(printf '\\304b'); touch d/*/f", /"d\/�b" .* \(\\xc4b\)/],
      ["a pipe's neighbour", "mkfifo p; touch \"$(printf 'b\\nc\\200')\"", /\(b\\x0ac\\x80\)/],
      [
        "a backslash",
        "touch 'a\\b'",
        /"a\\\\b" cannot be kept: it holds a backslash; .* Remove it, or rename it with letters/,
      ],
      ["a drive letter", "touch C:x", /"C:x" cannot be kept: /],
      [
        "a link to what is not UTF-8",
        "ln -sf $(printf 'a\\377') l",
        /"l" cannot be kept: .* \(a\\xff\)\. Remove it or link/,
      ],
    ])("unless it could not be kept, such as %s; and then it can be undone", async (_, script, message) => {
      const ws = await fx.open({ d: "1", l: "1" });
      const before = await ws.snapshot();
      await sh(ws, `rm d; ${script}`);
      const refusal = await ws.snapshot().catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(PathError);
      expect(String(refusal)).toMatch(message);
      await ws.restore(before);
      expect(readdirSync(fx.folderOf(ws))).toEqual(["d", "l"]);
      expect(await ws.snapshot()).toBe(before);
    });

    it("with a name of any other characters", async () => {
      const ws = await fx.open();
      await sh(ws, "touch 'ok�' 'a b' 'c\"' 'd\ne' \\'");
      expect(await fx.sandbox.snapshots.list(await ws.snapshot())).toEqual(["'", "a b", 'c"', "d\ne", "ok�"]);
    });

    it("with no two files in one", async () => {
      const ws = await fx.open({ a: "1", b: "1" });
      const before = await ws.snapshot();
      await sh(ws, "ln -f a b");
      await ws.restore(before);
      await sh(ws, "echo 2 >> a");
      expect(text(await ws.read("b"))).toBe("1");
    });

    it("with no more rights than were asked for", async () => {
      const ws = await fx.open({ f: executable("x") });
      const before = await ws.snapshot();
      await sh(ws, "chmod 6755 f");
      const after = await ws.snapshot();
      expect(after).toBe(before);
      await ws.restore(after);
      expect(statSync(join(fx.folderOf(ws), "f")).mode & 0o6000).toBe(0);
    });
  });

  describe("stays usable", () => {
    const mode = (path: string) => statSync(path).mode & 0o777;

    it("when a command locks its root, for each operation", async () => {
      const ws = await fx.open({ f: "1" });
      const before = await ws.snapshot();
      const operations: Record<string, () => Promise<unknown>> = {
        list: () => ws.list(""),
        read: () => ws.read("f"),
        write: () => ws.write("g", "1"),
        remove: () => ws.remove("g"),
        exec: () => ws.exec(["true"], run()),
        snapshot: () => ws.snapshot(),
        restore: () => ws.restore(before),
      };
      for (const [name, operation] of Object.entries(operations)) {
        expect((await sh(ws, "chmod 000 .")).code, name).toBe(0);
        await operation();
        expect(mode(fx.folderOf(ws)) & 0o700, name).toBe(0o700);
        expect((await sh(ws, "touch made; rm made")).code, name).toBe(0);
      }
    });

    it("when a command locks folders, which stay as they are until one is needed or restored", async () => {
      const ws = await fx.open({ "a/b/f": "1", "c/f": "1" });
      const before = await ws.snapshot();
      const at = (path: string) => join(fx.folderOf(ws), path);
      await sh(ws, "chmod 000 a/b a c/f c .");
      expect((await ws.exec(["true"], run())).code).toBe(0);
      expect([mode(at("a")), mode(at("c"))]).toEqual([0, 0]);
      expect((await ws.exec(["cat", "f"], run({ cwd: "a/b" }))).output).toBe("1");
      if (process.getuid?.() === 0) expect(mode(at("c"))).toBe(0); // nothing was in root's way
      expect(await ws.snapshot()).toBe(before);

      await sh(ws, "chmod 000 a/b a c");
      await ws.restore(before);
      expect((await sh(ws, "cat a/b/f c/f; touch a/b/g")).output).toBe("11");
    });

    it("when a command removes its root or puts a link there, which is not followed", async () => {
      const ws = await fx.open({ f: "1" });
      const before = await ws.snapshot();
      const outside = join(folder.path, "outside-root");
      mkdirSync(outside, { recursive: true });
      writeFileSync(join(outside, "theirs"), "1");

      await sh(ws, "cd /; rm -rf /workspace");
      expect(await ws.list("")).toEqual([]);
      await ws.restore(before);
      for (const operation of [
        () => ws.list(""),
        () => ws.snapshot(),
        () => ws.restore(before),
        () => sh(ws, "rm *"),
      ]) {
        await sh(ws, `cd /; rm -rf /workspace; ln -s ${outside} /workspace`);
        await operation();
        expect(readdirSync(outside)).toEqual(["theirs"]);
      }
      await ws.restore(before);
      expect((await sh(ws, "ls")).output).toBe("f\n");
    });

    it.runIf(process.getuid?.() === 0)("when modes bind the host's user too", async () => {
      const user = 64_321;
      const ws = await fx.open({ "a/f": "1", "b/f": "1", "c/f": "1" });
      const before = await ws.snapshot();
      const host = fx.folderOf(ws);
      const giveAll = (to: number) => {
        for (const path of ["", ...readdirSync(folder.path, { recursive: true, encoding: "utf8" })])
          chownSync(join(folder.path, path), to, to);
      };
      giveAll(user);
      const locked = (path: string) => chmodSync(join(host, path), 0);
      process.seteuid?.(user);
      try {
        for (const path of ["a/f", "a", "b", ""]) locked(path);
        expect(text(await ws.read("a/f"))).toBe("1");
        locked("b");
        await ws.write("b/f", "2");
        for (const path of ["c", ""]) locked(path);
        expect(await ws.list("", { recursive: true })).toHaveLength(6);
        locked("c");
        await ws.remove("c");
        locked("b");
        expect(await fx.sandbox.snapshots.list(await ws.snapshot())).toEqual(["a/f", "b/f"]);
        for (const path of ["a", "b"]) locked(path);
        await ws.restore(before);
        expect(await ws.snapshot()).toBe(before);
      } finally {
        process.seteuid?.(0);
        giveAll(0);
      }
    });
  });

  it("keeps a link's target apart from where the workspace lies", async () => {
    const ws = await fx.open({ f: "1" });
    await ws.exec(["ln", "-s", "/workspace/f", "l"], run());
    const on = readlinkSync(join(fx.folderOf(ws), "l"));
    expect(on).toBe(tier === "process" ? join(fx.folderOf(ws), "f") : "/workspace/f");
    const patch = await fx.sandbox.snapshots.patch(
      await fx.sandbox.snapshots.put({ files: { f: "1" } }),
      await ws.snapshot(),
    );
    expect(text(patch)).toContain("+/workspace/f\n");
  });

  it("is gone when it is disposed of, as often as that is", async () => {
    const ws = await fx.open({ a: "1" });
    const odd = "$(printf 'odd\\377')";
    await sh(
      ws,
      `mkdir -p locked/in/${odd}; touch locked/in/${odd}/${odd}; chmod 000 locked/in/${odd} locked/in locked .`,
    );
    await ws[Symbol.asyncDispose]();
    await ws[Symbol.asyncDispose]();
    expect(existsSync(join(fx.folderOf(ws), ".."))).toBe(false);
    await expect(ws.read("a")).rejects.toThrow(SandboxError);
    await expect(ws.exec(["true"], run())).rejects.toThrow(SandboxError);
  });

  it("is not opened from what is no snapshot, or after an abort", async () => {
    const open = (snapshot: string, signal: AbortSignal) => fx.sandbox.open({ snapshot, lane: "x" }, { signal });
    const before = readdirSync(folder.path);
    await expect(open("0".repeat(64), never)).rejects.toThrow(NotFoundError);
    await expect(open("../../etc/passwd", never)).rejects.toThrow(NotFoundError);
    await expect(open(await fx.sandbox.blobs.put("{"), never)).rejects.toThrow(/is no snapshot/);
    const reason = new Error("no");
    await expect(open(await fx.sandbox.snapshots.put({ files: {} }), AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(readdirSync(folder.path)).toEqual(before);
  });

  it("leaves nothing behind, a hundred times over", async () => {
    const snapshot = await fx.sandbox.snapshots.put({ files: { a: "1", "b/c": "2" } });
    const sleep = uniqueSleep();
    const cycle = async () => {
      await using ws = await fx.sandbox.open({ snapshot, lane: "x" }, { signal: never });
      await ws.exec(["sh", "-c", `setsid sleep ${sleep} & echo hi > new`], run({ channel: true }));
      await ws.snapshot();
    };
    const open = () => readdirSync("/proc/self/fd").length;
    await cycle();
    const before = { files: readdirSync(folder.path), descriptors: open() };
    for (let round = 0; round < 100; round += 1) await cycle();
    expect(processesWith(sleep)).toEqual([]);
    expect(readdirSync(folder.path)).toEqual(before.files);
    expect(open()).toBeLessThanOrEqual(before.descriptors + 2);
  });
});
