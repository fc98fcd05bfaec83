import { getEventListeners } from "node:events";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { InvalidInputError, NotFoundError, PathError } from "@swarm/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { fixture, processesWith, run, SECRET, temporaryFolder, tiers, uniqueSleep } from "./support.ts";

const folder = temporaryFolder();

describe.each(tiers)("a command in the %s tier", (tier) => {
  const fx = fixture(tier, folder);
  const { open, folderOf } = fx;
  const sh = (script: string) => ["sh", "-c", script];

  describe("is started", () => {
    it("with its arguments as they are", async () => {
      const ws = await open();
      const args = ["$(id)", "a b", "", "; exit 9", "*", "\n", "'\"\\", "é"];
      const { output, code } = await ws.exec(["printf", "<%s>", ...args], run());
      expect(code).toBe(0);
      expect(output).toBe(args.map((arg) => `<${arg}>`).join(""));
    });

    it("with an environment of its own", async () => {
      const leaks = { OPENAI_API_KEY: "k", LD_PRELOAD: "/x.so", NODE_OPTIONS: "--x", BASH_ENV: "/x", GIT_DIR: "/x" };
      Object.assign(process.env, leaks);
      onTestFinished(() => {
        for (const name of Object.keys(leaks)) delete process.env[name];
      });
      const ws = await open();
      const { output } = await ws.exec(["env"], run({ env: { EXTRA: "1", TZ: "Asia/Tokyo" } }));
      const env = Object.fromEntries(
        output
          .trim()
          .split("\n")
          .map((line) => line.split(/=(.*)/s).slice(0, 2)),
      );
      expect(env).toMatchObject({
        HOME: "/tmp/home",
        TMPDIR: "/tmp",
        LANG: "C.UTF-8",
        TZ: "Asia/Tokyo",
        CI: "1",
        NO_COLOR: "1",
        FORCE_COLOR: "0",
        PYTHONDONTWRITEBYTECODE: "1",
        PYTHONHASHSEED: "0",
        EXTRA: "1",
      });
      const own = ["CI", "EXTRA", "FORCE_COLOR", "HOME", "LANG", "NO_COLOR", "PATH", "PYTHONDONTWRITEBYTECODE"];
      const shells = ["PWD", "SHLVL", "_", "OLDPWD"];
      const names = Object.keys(env).filter((name) => !shells.includes(name));
      expect(names.sort()).toEqual(
        [...own, "PYTHONHASHSEED", ...(tier === "process" ? ["SWARM_WORKSPACE"] : []), "TMPDIR", "TZ"].sort(),
      );
    });

    it("with packages of the host beside the workspace, where it is told so, to read only", async () => {
      const store = join(folder.path, tier, "store/node_modules/.pnpm/lib@1.0.0/node_modules");
      const modules = join(folder.path, tier, "app/node_modules");
      for (const name of ["lib", "dep"]) {
        mkdirSync(join(store, name), { recursive: true });
        writeFileSync(
          join(store, name, "index.js"),
          name === "lib" ? 'module.exports = require("dep")' : "exports.n = 7",
        );
      }
      mkdirSync(join(modules, "@scope"), { recursive: true });
      symlinkSync(join(store, "lib"), join(modules, "lib"));
      symlinkSync(join(store, "lib"), join(modules, "@scope/lib"));
      symlinkSync("nowhere", join(modules, "gone"));
      const ws = await open({ "src/a.js": 'console.log(require("lib").n, require("@scope/lib").n)\n' });
      const found = await ws.exec(["node", "src/a.js"], run({ modules }));
      expect(found).toMatchObject({ code: 0, output: "7 7\n" });
      if (tier === "bubblewrap") {
        expect((await ws.exec(sh(`touch ${modules}/new ${store}/new`), run({ modules }))).code).not.toBe(0);
      }
      expect((await ws.exec(["node", "src/a.js"], run())).output).toContain("Cannot find module 'lib'");
      for (const wrong of ["node_modules", join(folder.path, "none")]) {
        await expect(ws.exec(["true"], run({ modules: wrong }))).rejects.toMatchObject({ field: "modules" });
      }
    });

    it("with an empty home and temporary folder, each time", async () => {
      const ws = await open();
      const script = sh("ls -A $HOME; ls -A $TMPDIR; touch $HOME/h $TMPDIR/t");
      const { output } = await ws.exec(script, run());
      expect(output).toMatch(/^home$/m); // beside it at most what a toolchain below /tmp brings
      expect((await ws.exec(script, run())).output).toBe(output);
    });

    it("without input and without a terminal", async () => {
      const ws = await open();
      expect(await ws.exec(["cat"], run())).toMatchObject({ code: 0, output: "" });
      expect((await ws.exec(sh("test -t 0 || test -t 1 || test -t 2"), run())).code).toBe(1);
      expect((await ws.exec(sh("exec 3</dev/tty"), run())).code).not.toBe(0);
      expect((await ws.exec(sh("test -e /proc/self/fd/3"), run())).code).toBe(1);
    });

    it("from the sandbox's PATH, or by a path into the workspace", async () => {
      const script = { base64: Buffer.from("#!/bin/sh\necho mine\n").toString("base64"), executable: true };
      const ws = await open({ mine: script, ls: script, "sub/it": script, plain: "x" });
      expect(await ws.exec(["mine"], run())).toMatchObject({ code: 127, output: "mine: command not found\n" });
      expect(await ws.exec(["mine"], run({ env: { PATH: "/workspace:." } }))).toMatchObject({ code: 127 });
      expect((await ws.exec(["ls"], run({ env: { PATH: ".:/usr/bin" } }))).output).toBe("ls\nmine\nplain\nsub\n");
      expect((await ws.exec(["./mine"], run())).output).toBe("mine\n");
      expect((await ws.exec(["/workspace/mine"], run())).output).toBe("mine\n");
      expect((await ws.exec(["./it"], run({ cwd: "sub" }))).output).toBe("mine\n");
      expect((await ws.exec(["./nothing"], run())).code).toBe(127);
      expect((await ws.exec(["./plain"], run())).code).toBe(126);
    });

    it("in a folder of the workspace", async () => {
      const ws = await open({ "a/b/f": "", "a/g": "" });
      expect((await ws.exec(["pwd"], run())).output).toBe("/workspace\n");
      expect((await ws.exec(["pwd"], run({ cwd: "." }))).output).toBe("/workspace\n");
      expect((await ws.exec(["pwd"], run({ cwd: "a/b" }))).output).toBe("/workspace/a/b\n");
      await ws.exec(["ln", "-s", "a/b", "inside"], run());
      await ws.exec(["ln", "-s", "/usr", "outside"], run());
      expect((await ws.exec(["pwd", "-P"], run({ cwd: "inside" }))).output).toBe("/workspace/a/b\n");
      await expect(ws.exec(["pwd"], run({ cwd: "outside" }))).rejects.toThrow(PathError);
      await expect(ws.exec(["pwd"], run({ cwd: "../.." }))).rejects.toThrow(PathError);
      await expect(ws.exec(["pwd"], run({ cwd: "a/g" }))).rejects.toThrow(PathError);
      await expect(ws.exec(["pwd"], run({ cwd: "nothing" }))).rejects.toThrow(NotFoundError);
    });

    it("with the Python and the Node of the host", async () => {
      const ws = await open({ "test_a.py": "def test_a():\n    assert 1\n" });
      const pytest = await ws.exec(["python3", "-m", "pytest", "-q", "-p", "no:cacheprovider"], run());
      expect(pytest.output).toContain("1 passed");
      expect((await ws.exec(["node", "-p", "process.version"], run())).output).toBe(`${process.version}\n`);
    });

    it("unless it is none", async () => {
      const ws = await open();
      for (const argv of [[], [""], ["echo", "a\0b"]])
        await expect(ws.exec(argv, run())).rejects.toThrow(InvalidInputError);
      await expect(ws.exec(["true"], run({ timeoutMs: 0 }))).rejects.toThrow(/timeoutMs/);
      await expect(ws.exec(["true"], run({ timeoutMs: Number.NaN }))).rejects.toThrow(/timeoutMs/);
      await expect(ws.exec(["true"], run({ env: { "A=B": "" } }))).rejects.toThrow(/env\["A=B"\]/);
      expect((await ws.exec(["true"], run({ timeoutMs: Number.POSITIVE_INFINITY }))).code).toBe(0);
      const long = await ws.exec(["echo", "x".repeat(4_000_000)], run());
      expect(long).toMatchObject({ code: 126, output: "echo: argument list too long\n" });
    });
  });

  describe("tells", () => {
    it("its exit code or signal", async () => {
      const ws = await open();
      for (const code of [0, 1, 77, 128, 129, 255]) {
        expect(await ws.exec(sh(`exit ${code}`), run())).toMatchObject({ code, signal: null, timedOut: false });
      }
      for (const signal of ["SIGSEGV", "SIGKILL", "SIGTERM", "SIGABRT", "SIGPIPE"]) {
        const result = await ws.exec(sh(`kill -${signal.slice(3)} $$`), run());
        expect(result).toMatchObject({ code: null, signal, timedOut: false });
      }
    });

    it("output and error in the order they came, colours and all", async () => {
      const ws = await open();
      const { output } = await ws.exec(
        sh("for i in 1 2 3 4 5; do echo o$i; echo e$i >&2; done; printf '\\033[31mred'"),
        run(),
      );
      expect(output).toBe(`${[1, 2, 3, 4, 5].map((i) => `o${i}\ne${i}\n`).join("")}\u001b[31mred`);
    });

    it("head and tail of much output, and how much is between, in little memory", async () => {
      const ws = await open();
      const before = process.memoryUsage().rss;
      const { output, code } = await ws.exec(sh("echo begin; yes | head -c 400M; echo end"), run());
      expect(code).toBe(0);
      expect(output).toMatch(/^begin\ny\n/);
      expect(output).toMatch(/y\nend\n$/);
      const [, leftOut] = /\n\[… (\d+) bytes left out …\]\n/.exec(output) ?? [];
      const kept = Buffer.byteLength(output) - Buffer.byteLength(`\n[… ${leftOut} bytes left out …]\n`);
      expect(kept).toBeLessThanOrEqual(30_000);
      expect(kept).toBeGreaterThan(29_600); // no word is cut
      expect(kept + Number(leftOut)).toBe(6 + 400 * 1024 * 1024 + 4);
      expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
    });

    it("no secret in the whole of it, whether it is named or shaped like a key", async () => {
      const ws = await open();
      const say = `seq 100000; echo '${SECRET}' key sk-ant-$(printf '%040d' 7) é; printf '\\377'`;
      const { whole } = await ws.exec(sh(say), run());
      const kept = Buffer.from(await fx.sandbox.blobs.get(String(whole)));
      expect(kept.subarray(-60).toString()).toContain("[redacted-secret] key [redacted-secret] é\n");
      expect(kept.at(-1)).toBe(0xff);
    });

    it("no workspace with a file that holds a named secret, until it is removed", async () => {
      const ws = await open();
      await ws.exec(sh(`mkdir deep; printf 'x=%s' '${SECRET}' > deep/leaked`), run());
      const refused = { code: "SECRET_IN_FILE", path: "deep/leaked", message: expect.not.stringContaining(SECRET) };
      await expect(ws.snapshot()).rejects.toMatchObject(refused);
      await ws.exec(sh("rm deep/leaked; echo fine > deep/other"), run());
      expect(await fx.sandbox.snapshots.list(await ws.snapshot())).toEqual(["deep/other"]);
    });

    it("the whole of such output apart, up to a limit", async () => {
      const ws = await open();
      const few = await ws.exec(sh("head -c 30000 /dev/zero"), run());
      expect(few.whole).toBeNull();
      const some = await ws.exec(sh("pwd -P; seq 100000"), run());
      expect(some.output).toContain("left out");
      const whole = Buffer.from(await fx.sandbox.blobs.get(String(some.whole))).toString();
      expect(whole).toBe(`/workspace\n${Array.from({ length: 100_000 }, (_, index) => `${index + 1}\n`).join("")}`);
      const limit = 16 * 1024 * 1024;
      const much = await ws.exec(sh(`head -c ${limit} /dev/zero | tr '\\0' x; echo end`), run());
      expect(Buffer.from(await fx.sandbox.blobs.get(String(much.whole))).toString()).toBe("x".repeat(limit));
      expect(much.output).toMatch(/xend\n$/);
      expect(readdirSync(join(folderOf(ws), "..")).filter((name) => name.startsWith("output"))).toEqual([]);
    });

    it("all of it from many tiny writes, or a line without an end, and no half character", async () => {
      const ws = await open();
      const script = "import os\nfor i in range(1_000_000): os.write(1, 'é'.encode()[i % 2:i % 2 + 1])";
      const { output } = await ws.exec(["python3", "-c", script], run());
      expect(output).toMatch(/^é+\n\[… 970000 bytes left out …\]\né+$/);
      const line = await ws.exec(sh("head -c 100000000 /dev/zero | tr '\\0' x"), run());
      expect(line.output).toMatch(/^x{15000}\n\[… 99970000 bytes left out …\]\nx{15000}$/);
    });

    it("paths as they are for the command, not for the host", async () => {
      const ws = await open({ "lib/m.py": "x = 1\n", "bad.py": "import m\nraise ValueError(m.__file__)\n" });
      const host = folderOf(ws).slice(0, -"/workspace".length);
      const script =
        "pwd -P; echo $PWD $HOME $TMPDIR; cat /workspace/lib/m.py; ls /workspace/none; cat /proc/self/mountinfo";
      const shell = await ws.exec(sh(script), run());
      expect(shell.output).toContain("/workspace\n/workspace /tmp/home /tmp\nx = 1\n");
      expect(shell.output).not.toContain(host);
      const env = { PYTHONPATH: "/workspace/none:/workspace/lib" };
      const python = await ws.exec(["python3", "/workspace/bad.py"], run({ env }));
      expect(python.output).toContain('File "/workspace/bad.py", line 2');
      expect(python.output).toContain("ValueError: /workspace/lib/m.py");
      const told = await ws.exec(sh("pwd -P >&3"), run({ channel: true }));
      expect(told).toMatchObject({ channel: "/workspace\n", output: "" });
    });

    it("by a channel of its own what is not output", async () => {
      const ws = await open();
      expect(await ws.exec(sh("echo out; echo side >&3"), run({ channel: true }))).toMatchObject({
        output: "out\n",
        channel: "side\n",
      });
      expect((await ws.exec(["true"], run({ channel: true }))).channel).toBe("");
      expect((await ws.exec(["true"], run())).channel).toBeNull();
      const limit = 16 * 1024 * 1024;
      const full = await ws.exec(sh(`head -c ${limit} /dev/zero >&3`), run({ channel: true }));
      expect(full.channel).toHaveLength(limit);
      const over = await ws.exec(sh(`head -c ${limit + 1} /dev/zero >&3; echo done`), run({ channel: true }));
      expect(over).toMatchObject({ channel: null, output: "done\n", code: 0 });
    });
  });

  describe("ends", () => {
    it("at its time limit with all that it started", async () => {
      const ws = await open();
      const sleep = uniqueSleep();
      const result = await ws.exec(
        sh(`(sleep ${sleep} & sleep ${sleep}) & setsid sleep ${sleep} & sleep ${sleep}`),
        run({ timeoutMs: 300 }),
      );
      expect(result).toMatchObject({ code: null, signal: "SIGTERM", timedOut: true });
      expect(processesWith(sleep)).toEqual([]);
    });

    it("at a time limit that begins with what it first says on its channel, where it has time to start", async () => {
      const ws = await open();
      const timed = (script: string, timeoutMs: number) =>
        ws.exec(sh(script), run({ channel: true, startMs: 60_000, timeoutMs }));
      expect(await timed("sleep 0.6; echo ready >&3; echo done", 500)).toMatchObject({
        timedOut: false,
        output: "done\n",
      });
      expect(await timed("echo ready >&3; sleep 60", 300)).toMatchObject({ timedOut: true, channel: "ready\n" });
      const never = run({ channel: true, startMs: 200, timeoutMs: 200 });
      expect(await ws.exec(sh("echo none; sleep 60"), never)).toMatchObject({ timedOut: true, output: "none\n" });
      await expect(ws.exec(["true"], run({ startMs: -1 }))).rejects.toThrow(/startMs: is -1/);
    });

    it("asked first, so that it can clean up", async () => {
      const ws = await open();
      const script = "trap 'echo bye; exit 5' TERM; echo ready; sleep 60 & wait";
      const result = await ws.exec(sh(script), run({ timeoutMs: 500 }));
      expect(result).toMatchObject({ code: 5, signal: null, timedOut: true, output: "ready\nbye\n" });
    });

    it("even if it does not want to", async () => {
      const ws = await open();
      const result = await ws.exec(sh("trap '' TERM; echo no; while :; do sleep 60; done"), run({ timeoutMs: 300 }));
      expect(result).toMatchObject({ code: null, signal: "SIGKILL", timedOut: true, output: "no\n" });
    });

    it("at its time limit though it never stops talking", async () => {
      const ws = await open();
      expect(await ws.exec(["yes"], run({ timeoutMs: 300 }))).toMatchObject({ signal: "SIGTERM", timedOut: true });
    });

    it.each([
      ["a silent child", "sleep SLEEP &"],
      ["a child in a session of its own", "setsid sleep SLEEP &"],
      ["a daemon", "(setsid sh -c 'sleep SLEEP & sleep SLEEP' &) &"],
      ["a chatty child", "setsid sh -c 'while :; do echo more; done; sleep SLEEP' &"],
      ["a child without an environment", "env -i setsid sleep SLEEP &"],
      ["a child without output", "setsid sleep SLEEP >/dev/null 2>&1 &"],
      ["a child that hides, but holds the output", "cd /; env -i A=1 setsid sleep SLEEP &"],
    ])("without %s left behind", async (_, script) => {
      const ws = await open();
      const sleep = uniqueSleep();
      const result = await ws.exec(sh(`${script.replaceAll("SLEEP", sleep)} echo done`), run());
      expect(result).toMatchObject({ code: 0, timedOut: false });
      expect(result.output).toContain("done\n");
      expect(processesWith(sleep)).toEqual([]);
    });

    it("though something that cannot be found holds its output", async () => {
      const ws = await open();
      const sleep = uniqueSleep();
      onTestFinished(() => {
        for (const pid of processesWith(sleep)) process.kill(pid, "SIGKILL");
      });
      const hidden = `exec 5>&1 >/dev/null 2>&1; cd /; env -i setsid sleep ${sleep} &`;
      const result = await ws.exec(sh(`(${hidden}) & sleep 0.2; echo done`), run());
      expect(result).toMatchObject({ code: 0, output: "done\n" });
      expect(processesWith(sleep)).toHaveLength(tier === "bubblewrap" ? 0 : 1);
    });

    it("at once when it is aborted, and leaves no listener", async () => {
      const ws = await open();
      const sleep = uniqueSleep();
      const control = new AbortController();
      const reason = new Error("enough");
      await ws.exec(["true"], run({ signal: control.signal }));
      expect(getEventListeners(control.signal, "abort")).toEqual([]);
      const running = ws.exec(
        sh(`trap '' TERM; setsid sleep ${sleep} & sleep ${sleep}`),
        run({ signal: control.signal }),
      );
      setTimeout(() => control.abort(reason), 300);
      await expect(running).rejects.toBe(reason);
      expect(getEventListeners(control.signal, "abort")).toEqual([]);
      await ws.snapshot(); // Which waits until the workspace is at rest.
      expect(processesWith(sleep)).toEqual([]);
    });

    it("before it begins when it is aborted already", async () => {
      const ws = await open();
      const reason = new Error("never");
      await expect(ws.exec(["touch", "made"], run({ signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
      expect(await ws.list("")).toEqual([]);
    });

    it("with its workspace", async () => {
      const ws = await open();
      const sleep = uniqueSleep();
      const running = ws.exec(sh(`setsid sleep ${sleep} & sleep ${sleep}`), run());
      await expect.poll(() => processesWith(sleep).length, { timeout: 5_000 }).toBeGreaterThan(0);
      await ws[Symbol.asyncDispose]();
      expect(processesWith(sleep)).toEqual([]);
      expect(await running).toMatchObject({ code: null, signal: "SIGKILL" });
    });
  });
});
