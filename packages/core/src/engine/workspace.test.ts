import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { SnapshotId } from "../contracts/files.ts";
import type { Sandbox } from "../contracts/sandbox.ts";
import type { Team } from "../contracts/team.ts";
import { WorkspaceBusyError } from "../errors.ts";
import { fileLogStore } from "../log/file-log-store.ts";
import { memoryLogStore } from "../log/memory-log-store.ts";
import { assertSoundRun } from "../testing/assert-sound-run.ts";
import { memorySandbox } from "../testing/memory-sandbox.ts";
import { conformanceTask, conformanceTeam } from "../testing/team.ts";
import { forkRun } from "./fork-run.ts";
import { replayRun } from "./replay-run.ts";
import { resumeRun } from "./resume-run.ts";
import { runTask, startRun } from "./start-run.ts";

const files = (content: Record<string, string>) => ({ files: content });

/** A team on a sandbox with one directory, `dir`. */
async function desk(content: Record<string, string> = {}) {
  const team = conformanceTeam();
  const directories = new Map<string, SnapshotId>();
  const sandbox = memorySandbox({ blobs: team.defaults.sandbox().blobs, directories });
  directories.set("dir", await sandbox.snapshots.put(files(content)));
  return {
    sandbox,
    team,
    options: { team, sandbox, workspace: "dir", store: memoryLogStore() },
    put: async (content: Record<string, string>) =>
      void directories.set("dir", await sandbox.snapshots.put(files(content))),
    async held() {
      const there = await sandbox.snapshots.files(directories.get("dir")!);
      return Object.fromEntries(
        Object.entries(there).map(([path, file]) => [
          path,
          Buffer.from((file as { base64: string }).base64, "base64").toString(),
        ]),
      );
    },
  };
}

test("a run begins from what is in its directory, and what passed is written to it", async () => {
  const { options, sandbox, held } = await desk({ "main.txt": "mine\n", "other.txt": "kept\n" });
  const task = { ...conformanceTask, source: files({ "main.txt": "start\n", "starter.txt": "given\n" }) };
  const trajectory = await runTask(task, options);
  expect(trajectory.verdict.passed).toBe(true);
  expect(trajectory.workspace).toEqual({ written: true, problem: null });
  assertSoundRun(trajectory);
  expect(await held()).toMatchObject({
    "main.txt": "mine\nright\n",
    "other.txt": "kept\n",
    "starter.txt": "given\n",
    "left.txt": "left\n",
    "checks.json": conformanceTask.testFiles?.["checks.json"],
  });
  const { header } = trajectory;
  expect(await sandbox.snapshots.list(String(header.workspace))).toEqual(["main.txt", "other.txt"]);
  expect(await sandbox.snapshots.list(header.base)).toEqual(["checks.json", "main.txt", "other.txt", "starter.txt"]);

  const next = await runTask(conformanceTask, { ...options, runId: "next" });
  expect(next.header.base).toBe(next.header.workspace);
});

test("no secret of the run is kept of it, neither at the start nor when it is written to", async () => {
  const { options, sandbox } = await desk();
  const asked: unknown[] = [];
  const watched: Sandbox = {
    ...sandbox,
    async hold(directory) {
      const held = await sandbox.hold(directory);
      return {
        ...held,
        async snapshot(given) {
          asked.push(given);
          return await held.snapshot(given);
        },
        async change(from, to, given) {
          asked.push(given);
          return await held.change(from, to, given);
        },
      };
    },
  };
  const secrets = ["the-secret-of-the-run"];
  const { workspace } = await runTask(conformanceTask, { ...options, sandbox: watched, secrets });
  expect(workspace).toEqual({ written: true, problem: null });
  expect(asked).toEqual([{ secrets }, { secrets }]);
});

test("what did not pass is not written to it", async () => {
  const { options, held } = await desk({ "main.txt": "mine\n" });
  const team: Team = conformanceTeam({ broken: true });
  const trajectory = await runTask(conformanceTask, { ...options, team, limits: { modelCalls: 3 } });
  expect(trajectory.verdict.passed).toBe(false);
  expect(trajectory.workspace).toEqual({ written: false, problem: null });
  expect(await held()).toEqual({ "main.txt": "mine\n" });
});

test("what somebody changed there meanwhile is left alone, and the run says so", async () => {
  const { options, put, held } = await desk({ "main.txt": "mine\n" });
  const run = startRun(conformanceTask, options);
  run.on("verdict", () => void put({ "main.txt": "theirs\n" }));
  const { verdict, workspace, events } = await run.result;
  expect(verdict.passed).toBe(true);
  expect(workspace).toEqual({ written: false, problem: expect.stringContaining("main.txt") });
  expect(events.at(-1)).toMatchObject({ kind: "failure", key: null, payload: { note: { event: "workspace" } } });
  expect(await held()).toEqual({ "main.txt": "theirs\n" });
});

test("a second run for it is refused, from the first's start to its end however that is", async () => {
  const { options, held } = await desk();
  const [first, second] = await Promise.allSettled([
    runTask(conformanceTask, { ...options, runId: "first" }),
    runTask(conformanceTask, { ...options, runId: "second" }),
  ]);
  expect(first.status).toBe("fulfilled");
  expect((second as PromiseRejectedResult).reason).toBeInstanceOf(WorkspaceBusyError);
  await expect(options.store.read("second")).rejects.toMatchObject({ code: "NOT_FOUND" });

  const aborted = await runTask(conformanceTask, { ...options, runId: "third", signal: AbortSignal.abort() });
  expect(aborted.verdict.outcome).toBe("aborted");
  await expect(runTask(conformanceTask, { ...options, runId: "first" })).rejects.toMatchObject({ code: "LOG_EXISTS" });
  const before = await held();
  expect((await runTask(conformanceTask, { ...options, runId: "last" })).workspace).not.toBeNull();
  expect(Object.keys(before)).toContain("main.txt");
});

test("a run that is resumed writes to it, once, and only where it is named again", async () => {
  const { options, held, put, sandbox } = await desk({ "other.txt": "kept\n" });
  const cut = await runTask(conformanceTask, { ...options, runId: "cut", limits: { modelCalls: 2 } });
  expect(cut.verdict.outcome).toBe("budget");
  expect(await held()).toEqual({ "other.txt": "kept\n" });

  const limits = { modelCalls: 100 };
  const elsewhere = { ...options, limits, sandbox: onFullDisk(sandbox) };
  const lost = await resumeRun("cut", elsewhere).result;
  expect(lost.workspace).toEqual({ written: false, problem: "the disk is full" });
  const { workspace: _, ...without } = { ...options, limits };
  expect((await resumeRun("cut", without).result).workspace?.written).toBe(false);
  const resumed = await resumeRun("cut", { ...options, limits }).result;
  expect(resumed.workspace).toEqual({ written: true, problem: null });
  assertSoundRun(resumed);
  expect(await held()).toMatchObject({ "other.txt": "kept\n", "left.txt": "left\n" });

  await put({ "other.txt": "theirs\n" });
  expect((await resumeRun("cut", { ...options, limits }).result).events).toHaveLength(resumed.events.length);
  expect(await held()).toEqual({ "other.txt": "theirs\n" });

  const plain = await runTask(conformanceTask, { ...without, runId: "plain" });
  expect(plain.workspace).toBeNull();
  await expect(resumeRun("plain", options).result).rejects.toMatchObject({ field: "workspace" });
});

test("a replay leaves it alone", async () => {
  const { options, held, put } = await desk();
  const { runId } = await runTask(conformanceTask, options);
  await put({ "main.txt": "later\n" });
  const { divergence } = await replayRun(runId, options);
  expect(divergence).toBeNull();
  expect(await held()).toEqual({ "main.txt": "later\n" });
});

test("it cannot hold the run's own log, unless in a folder that is no part of it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "workspace-test-"));
  const { options } = await desk();
  const within = (runs: string) => ({ ...options, workspace: folder, store: fileLogStore(join(folder, runs)) });
  await expect(runTask(conformanceTask, within("runs"))).rejects.toMatchObject({
    code: "INVALID_INPUT",
    message: expect.stringMatching(/^workspace: holds the log .* keep it elsewhere, or below \.swarm in it$/),
  });
  expect((await runTask(conformanceTask, within(".swarm/runs"))).verdict.passed).toBe(true);
  rmSync(folder, { recursive: true });
});

/** A sandbox whose directories cannot be written to. */
function onFullDisk(sandbox: Sandbox): Sandbox {
  return {
    ...sandbox,
    async hold(directory) {
      return { ...(await sandbox.hold(directory)), change: () => Promise.reject(new Error("the disk is full")) };
    },
  };
}

test("a fork writes to its parent's directory, counted from what that began with, and only where it is named again", async () => {
  const { options, held } = await desk({ "other.txt": "kept\n" });
  const { workspace, ...rest } = options;
  const cut = await runTask(conformanceTask, { ...options, limits: { modelCalls: 3 } });
  const at = cut.events.length - 1;
  const limits = { modelCalls: 100 };
  const apart = await forkRun(cut.runId, { ...rest, at, limits }).result;
  expect([apart.verdict.passed, apart.workspace, apart.header.workspace]).toEqual([true, null, undefined]);
  expect(await held()).toEqual({ "other.txt": "kept\n" });
  const fork = await forkRun(cut.runId, { ...options, at, limits }).result;
  expect(fork.workspace).toEqual({ written: true, problem: null });
  expect(await held()).toMatchObject({ "other.txt": "kept\n", "main.txt": "start\nright\n" });
});
