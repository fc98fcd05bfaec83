import { spawn } from "node:child_process";
import { existsSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import type { Workspace } from "@swarm/core";
import { localSandbox } from "@swarm/sandbox";
import { describe, expect, it, onTestFinished } from "vitest";
import { fixture, never, processesWith, run, temporaryFolder, tiers } from "./support.ts";

const folder = temporaryFolder();
let count = 0;

/** A command that reads its input and then runs it as a script; its last argument is a name to find it by. */
function reader(): { argv: string[]; name: string } {
  count += 1;
  const name = `reader-${process.pid}-${count}`;
  return { argv: ["sh", "-c", 'script="$(cat)"; eval "$script"', name], name };
}

/** A call with an input, after which the same command is started ahead. */
const ahead = (argv: readonly string[], input: string, options: Parameters<typeof run>[0] = {}) =>
  [argv, run({ input, ahead: argv, ...options })] as const;
/** The shells of a reader: not bwrap and what else has its arguments. */
const waiting = (name: string) => processesWith(`sh -c script="$(cat)"; eval "$script" ${name}`).length > 0;

describe.each(tiers)("in the %s tier a command", (tier) => {
  const { open } = fixture(tier, folder);

  it("reads its input to the end", async () => {
    const ws = await open();
    const text = "é".repeat(200_000);
    expect((await ws.exec(["wc", "-c"], run({ input: text }))).output).toBe("400000\n");
    expect((await ws.exec(["wc", "-c"], run({ input: "" }))).output).toBe("0\n");
    expect((await ws.exec(["wc", "-c"], run())).output).toBe("0\n");
  });

  it("may leave its input unread", async () => {
    const ws = await open();
    expect(await ws.exec(["true"], run({ input: "x".repeat(1_000_000) }))).toMatchObject({ code: 0, output: "" });
  });

  it("gives the same with and without a start ahead", async () => {
    const ws = await open({ a: "1" });
    const { argv } = reader();
    for (let n = 0; n < 3; n += 1) {
      expect(await ws.exec(...ahead(argv, "pwd; cat a; echo told >&3; exit 3", { channel: true }))).toMatchObject({
        code: 3,
        signal: null,
        timedOut: false,
        output: "/workspace\n1",
        channel: "told\n",
      });
    }
  });
});

describe.runIf(tiers.includes("bubblewrap"))("in the bubblewrap tier a command that was started ahead", () => {
  const fx = fixture("bubblewrap", folder);
  /** Runs a reader once, and waits until the next one is there. */
  async function opened(files: Record<string, string> = {}): Promise<{ ws: Workspace; argv: string[]; name: string }> {
    const ws = await fx.open(files);
    const { argv, name } = reader();
    await ws.exec(...ahead(argv, ":"));
    await expect.poll(() => waiting(name)).toBe(true);
    return { ws, argv, name };
  }

  it("serves one call", async () => {
    const { ws, argv, name } = await opened();
    const [before] = processesWith(name);
    await ws.exec(...ahead(argv, "echo x > /tmp/left; echo x > /dev/shm/left; sleep 100 & :"));
    await expect.poll(() => waiting(name)).toBe(true);
    expect(processesWith(name)).not.toContain(before);
    const { output } = await ws.exec(
      ...ahead(argv, "ls /tmp/left /dev/shm/left 2>/dev/null; ps ax 2>/dev/null | grep -c '[s]leep 100'"),
    );
    expect(output).toBe("0\n");
  });

  it("was there before its call", async () => {
    const { ws, argv, name } = await opened();
    const [before] = processesWith(name);
    const running = ws.exec(...ahead(argv, "sleep 0.2"));
    expect(processesWith(name)[0]).toBe(before);
    await running;
  });

  it("finds the files as they are at its call", async () => {
    const { ws, argv } = await opened({ a: "1", b: "2" });
    await ws.write("a", "new");
    const snapshot = await fx.sandbox.snapshots.put({ files: { a: "restored", c: "3" } });
    expect((await ws.exec(...ahead(argv, "cat a b"))).output).toBe("new2");
    await ws.restore(snapshot);
    expect((await ws.exec(...ahead(argv, "cat a; ls"))).output).toBe("restoreda\nc\n");
  });

  it("finds the workspace in place of which there is another folder", async () => {
    const { ws, argv } = await opened({ a: "1" });
    const host = fx.folderOf(ws);
    renameSync(host, `${host}-old`);
    mkdirSync(host);
    await ws.write("a", "2");
    expect((await ws.exec(...ahead(argv, "cat a"))).output).toBe("2");
  });

  it("may be another command than the one before it", async () => {
    const ws = await fx.open();
    const { argv, name } = reader();
    await ws.exec(["true"], run({ ahead: argv }));
    await expect.poll(() => waiting(name)).toBe(true);
    const [before] = processesWith(name);
    const running = ws.exec(argv, run({ input: "sleep 0.2; echo $0" }));
    expect(processesWith(name)[0]).toBe(before);
    expect((await running).output).toBe(`${name}\n`);
  });

  it("is for equal calls only", async () => {
    const { ws, argv } = await opened({ "d/a": "1" });
    expect((await ws.exec(...ahead(argv, "echo $A", { env: { A: "1" } }))).output).toBe("1\n");
    expect((await ws.exec(...ahead(argv, "pwd", { cwd: "d" }))).output).toBe("/workspace/d\n");
    expect((await ws.exec(...ahead([...argv, "x"], "echo $1"))).output).toBe("x\n");
    expect((await ws.exec(...ahead(argv, "pwd"))).output).toBe("/workspace\n");
  });

  it("has its whole time from its call", async () => {
    const { ws, argv } = await opened();
    const { timedOut, output } = await ws.exec(...ahead(argv, "echo begun; sleep 60", { timeoutMs: 300 }));
    expect({ timedOut, output }).toEqual({ timedOut: true, output: "begun\n" });
    // Its processor time was set for the shorter limit, so this call is served by a new one.
    expect((await ws.exec(...ahead(argv, "ulimit -t", { timeoutMs: 60_000 }))).output).toBe(
      (await ws.exec(["sh", "-c", "ulimit -t"], run({ timeoutMs: 60_000 }))).output,
    );
  });

  it("ends with an abort, and is not there for a call that was aborted before", async () => {
    const { ws, argv, name } = await opened();
    const stop = new AbortController();
    const running = ws.exec(...ahead(argv, "sleep 60", { signal: stop.signal }));
    stop.abort(new Error("enough"));
    await expect(running).rejects.toThrow("enough");
    await expect(ws.exec(...ahead(argv, "touch a", { signal: stop.signal }))).rejects.toThrow("enough");
    expect(await ws.list("")).toEqual([]);
    await ws[Symbol.asyncDispose]();
    expect(processesWith(name)).toEqual([]);
  });

  it("is replaced when it was killed", async () => {
    const { ws, argv, name } = await opened();
    const [first = 0] = processesWith(name);
    process.kill(first, "SIGKILL");
    await expect.poll(() => existsSync(`/proc/${first}`)).toBe(false);
    expect(await ws.exec(...ahead(argv, "echo here"))).toMatchObject({ code: 0, output: "here\n" });
  });

  it("is not to be reached by other commands of its workspace", async () => {
    const { ws, name } = await opened();
    const found = await ws.exec(["sh", "-c", "cat /proc/[0-9]*/cmdline | tr '\\0' ' '; kill -9 -1"], run());
    expect(found.output).not.toContain(name);
    expect(waiting(name)).toBe(true);
  });

  it("ends with its workspace, and is one, however fast the calls come", async () => {
    const { ws, argv, name } = await opened();
    for (let n = 0; n < 4; n += 1) await ws.exec(...ahead(argv, ":"));
    await expect.poll(() => waiting(name)).toBe(true);
    await ws[Symbol.asyncDispose]();
    expect(processesWith(name)).toEqual([]);
  });

  it.each(["ends by itself", "is killed"])("is gone when its process %s and another one starts", async (how) => {
    const { argv, name } = reader();
    const script = `import { localSandbox } from "@swarm/sandbox";
      const sandbox = localSandbox({ store: ${JSON.stringify(join(folder.path, "objects"))}, isolation: "required" });
      const { signal } = new AbortController();
      const snapshot = await sandbox.snapshots.put({ files: {} });
      const ws = await sandbox.open({ snapshot, lane: "x" }, { signal });
      await ws.exec(${JSON.stringify(argv)}, { signal, timeoutMs: 10_000, input: ":", ahead: ${JSON.stringify(argv)} });
      ${how === "is killed" ? "setInterval(() => {}, 1_000)" : ""}`;
    const child = spawn(process.execPath, ["--conditions=@swarm/source", "--input-type=module", "-e", script], {
      cwd: import.meta.dirname,
      stdio: "ignore",
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const ended = new Promise((resolve) => child.once("exit", resolve));
    if (how === "is killed") {
      await expect.poll(() => waiting(name), { timeout: 15_000 }).toBe(true);
      child.kill("SIGKILL");
    }
    await ended;
    const sandbox = localSandbox({ store: join(folder.path, "objects"), isolation: "required" });
    const snapshot = await sandbox.snapshots.put({ files: {} });
    await using _ = await sandbox.open({ snapshot, lane: "x" }, { signal: never });
    await expect.poll(() => processesWith(name), { timeout: 5_000 }).toEqual([]);
  });
});
