import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { fixture, processesWith, run, sleepersOf, temporaryFolder, tiers, uniqueSleep } from "./support.ts";

const folder = temporaryFolder();
const workspaces = () => readdirSync(folder.path).filter((name) => name.startsWith("swarm-"));

describe.each(tiers)("in the %s tier, when a process is killed that has a workspace", (tier) => {
  const fx = fixture(tier, folder);
  const children = new Set<ChildProcess>();
  afterEach(() => {
    for (const child of children) child.kill("SIGKILL");
    children.clear();
  });

  const node = (script: string) => [
    ...["--conditions=@swarm/source", "--input-type=module", "-e"],
    `import { localSandbox } from "@swarm/sandbox";
     const { signal } = new AbortController();
     const sandbox = localSandbox({
       store: ${JSON.stringify(join(folder.path, "objects"))},
       isolation: "${tier === "process" ? "none" : "required"}",
     });
     const snapshot = await sandbox.snapshots.put({ files: {} });
     const ws = await sandbox.open({ snapshot, lane: "x" }, { signal });
     ${script}`,
  ];

  /** A process with an open workspace whose command sleeps, with a child in a session of its own. */
  async function sleeping(sleep: string): Promise<{ child: ChildProcess; name: string }> {
    const before = new Set(workspaces());
    const command = JSON.stringify(["sh", "-c", `setsid sleep ${sleep} & sleep ${sleep}`]);
    const script = `await ws.exec(${command}, { signal, timeoutMs: 60_000 });`;
    const child = spawn(process.execPath, node(script), { cwd: import.meta.dirname, stdio: "ignore" });
    children.add(child);
    // Bwrap binds itself to its parent while it starts: wait until what it starts is there.
    await expect.poll(() => sleepersOf(sleep).length, { timeout: 15_000 }).toBe(2);
    return { child, name: String(workspaces().find((name) => !before.has(name))) };
  }

  async function kill(child: ChildProcess): Promise<void> {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
  }

  function openElsewhere(temporary = folder.path): void {
    const opened = spawnSync(process.execPath, node("await ws[Symbol.asyncDispose]();"), {
      cwd: import.meta.dirname,
      encoding: "utf8",
      env: { ...process.env, TMPDIR: temporary },
    });
    expect(opened).toMatchObject({ status: 0, stderr: "" });
  }

  it("the next one that opens a workspace ends and removes just what that one left", async () => {
    const [sleepOfDead, sleepOfLiving, own] = [uniqueSleep(), uniqueSleep(), uniqueSleep()];
    const ws = await fx.open();
    const running = ws.exec(["sh", "-c", `sleep ${own}; true`], run());
    const dead = await sleeping(sleepOfDead);
    const living = await sleeping(sleepOfLiving);
    mkdirSync(join(folder.path, "swarm-of-somebody"));
    const before = workspaces();
    await kill(dead.child);
    if (tier === "process") expect(sleepersOf(sleepOfDead)).toHaveLength(2);
    else await expect.poll(() => processesWith(sleepOfDead), { timeout: 5_000 }).toEqual([]);
    expect(workspaces()).toEqual(before);

    openElsewhere();
    expect(processesWith(sleepOfDead)).toEqual([]);
    expect(workspaces()).toEqual(before.filter((name) => name !== dead.name));
    expect(sleepersOf(sleepOfLiving)).toHaveLength(2);
    expect(sleepersOf(own)).toHaveLength(1);

    await kill(living.child);
    const linked = join(folder.path, "linked");
    symlinkSync(folder.path, linked);
    openElsewhere(linked);
    rmSync(linked);
    expect(processesWith(sleepOfLiving)).toEqual([]);
    expect(workspaces()).not.toContain(living.name);
    await ws[Symbol.asyncDispose]();
    await running;
    rmSync(join(folder.path, "swarm-of-somebody"), { recursive: true });
    expect(workspaces()).toEqual([]);
  });
});
