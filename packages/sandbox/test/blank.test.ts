import { mkdirSync, renameSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { type ExecOptions, startOf } from "@swarm/core";
import { describe, expect, it } from "vitest";
import { fixture, processesWith, run, temporaryFolder, tiers } from "./support.ts";

const folder = temporaryFolder();

describe.runIf(tiers.includes("bubblewrap"))("a sandbox that waits for a command", () => {
  const fx = fixture("bubblewrap", folder);
  const waiting = (ws: Awaited<ReturnType<typeof fx.open>>) => processesWith(fx.folderOf(ws));
  /** A workspace in which one waits. */
  async function opened(files: Record<string, string> = {}, channel = false) {
    const ws = await fx.open(files);
    await ws.exec(["true"], run({ channel }));
    await expect.poll(() => waiting(ws).length, { timeout: 10_000 }).toBeGreaterThan(0);
    return ws;
  }

  it.each([
    ["output and code", ["sh", "-c", "echo a; echo b >&2; exit 7"], {}],
    ["a signal", ["sh", "-c", "kill -9 $$"], {}],
    ["its input", ["cat"], { input: "it's\n$(id)" }],
    ["no input", ["cat"], {}],
    ["its variables", ["sh", "-c", "env | sort"], { env: { A: "it's\n$(id)", HOME: "/tmp" } }],
    ["variables that no shell can say", ["sh", "-c", "env | sort"], { env: { "a.b": "1" } }],
    ["its channel", ["sh", "-c", "echo told >&3"], { channel: true }],
    ["its folder", ["sh", "-c", "pwd; cat a"], { cwd: "d" }],
    ["its limits", ["sh", "-c", "ulimit -a"], { timeoutMs: 3_000 }],
    ["its descriptors", ["sh", "-c", "cd /proc/self/fd; for n in *; do readlink $n; done | sed 's/[0-9]//g'"], {}],
    ["its processes", ["sh", "-c", "echo $$ $PPID; ls /proc | grep -c '^[0-9]'"], {}],
    ["a program that is not there", ["nothing-of-this-name"], {}],
    ["a file that is no program", ["./d/a"], {}],
    ["too many arguments", ["true", "x".repeat(200_000)], {}],
  ] as const)("gives a command %s as any other does", async (_, argv, options: Partial<ExecOptions>) => {
    const ws = await opened({ "d/a": "1" }, options.channel);
    const first = await (await fx.open({ "d/a": "1" })).exec(argv, run(options));
    expect({ ...(await ws.exec(argv, run(options))), durationMs: 0 }).toEqual({ ...first, durationMs: 0 });
  });

  it("serves one command, which finds nothing of another", async () => {
    const ws = await opened();
    const [before = 0] = waiting(ws);
    const leave = ["sh", "-c", "echo x > /tmp/left; echo x > /dev/shm/left; sleep 100 & :"];
    const running = ws.exec(leave, run());
    expect(waiting(ws)[0]).toBe(before);
    await running;
    await expect.poll(() => waiting(ws).length).toBeGreaterThan(0);
    expect(waiting(ws)).not.toContain(before);
    const look = "ls /tmp/left /dev/shm/left 2>/dev/null; cat /proc/[0-9]*/comm | grep -c sleep";
    expect((await ws.exec(["sh", "-c", look], run())).output).toBe("0\n");
  });

  it("is there for a command right after another too", async () => {
    const ws = await opened();
    await expect.poll(() => waiting(ws).length, { timeout: 10_000 }).toBe(4); // bwrap and what it started, of two
    const starts = waiting(ws).map(startOf);
    for (let n = 0; n < 2; n += 1) {
      const { output } = await ws.exec(["cut", "-d", " ", "-f", "22", "/proc/1/stat"], run());
      expect(starts).toContain(output.trim());
    }
  });

  it("finds the files as they are then, also in a folder in place of the workspace", async () => {
    const ws = await opened({ a: "1" });
    await ws.write("a", "2");
    expect((await ws.exec(["cat", "a"], run())).output).toBe("2");
    await expect.poll(() => waiting(ws).length).toBeGreaterThan(0);
    renameSync(fx.folderOf(ws), `${fx.folderOf(ws)}-old`);
    mkdirSync(fx.folderOf(ws));
    await ws.write("a", "3");
    expect((await ws.exec(["cat", "a"], run())).output).toBe("3");
  });

  it("lets a command have its whole time, and no more", async () => {
    const ws = await opened();
    const result = await ws.exec(["sh", "-c", "echo begun; sleep 60"], run({ timeoutMs: 300 }));
    expect(result).toMatchObject({ timedOut: true, output: "begun\n" });
  });

  it("runs nothing for a call that was aborted", async () => {
    const ws = await opened();
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(ws.exec(["touch", "a"], run({ signal }))).rejects.toThrow("enough");
    expect(await ws.list("")).toEqual([]);
  });

  it("is done without when it was killed", async () => {
    const ws = await opened();
    for (const pid of waiting(ws)) process.kill(pid, "SIGKILL");
    await expect.poll(() => waiting(ws)).toEqual([]);
    await delay(50); // and this process is told
    expect(await ws.exec(["echo", "here"], run())).toMatchObject({ code: 0, output: "here\n" });
  });

  it("serves whatever the workspace's root was when it was started", async () => {
    const ws = await fx.open({});
    for (let nth = 0; nth < 30; nth++) {
      await ws.exec(["sh", "-c", "chmod 000 ."], run());
      await delay(nth); // one is started meanwhile
      expect((await ws.exec(["sh", "-c", "pwd"], run())).output).toBe("/workspace\n");
    }
  });

  it("is out of the reach of other commands, and ends with its workspace", async () => {
    const ws = await opened();
    const [before] = waiting(ws); // which ends with the others in its sandbox
    await ws.exec(["sh", "-c", "kill -9 -1"], run({ env: { "a.b": "" } }));
    expect(waiting(ws)).toContain(before);
    const at = fx.folderOf(ws);
    await ws[Symbol.asyncDispose]();
    expect(processesWith(at)).toEqual([]);
  });
});
