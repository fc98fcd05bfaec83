import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Files } from "@swarm/core";
import { builtInRunners } from "@swarm/oracle";
import { localSandbox } from "@swarm/sandbox";
import { afterAll, describe, expect, test } from "vitest";
import { builtinTasks, loadTask } from "./index.ts";

const { signal } = new AbortController();
const store = await mkdtemp(join(tmpdir(), "swarm-tasks-"));
const sandbox = localSandbox({ store });
afterAll(() => rm(store, { recursive: true, force: true }));

/** Also where nothing is started ahead, since a warm run then does the same a little later. */
describe.for((await builtinTasks()).map(({ id }) => id))("a warm run of %s", { concurrent: true }, (id) => {
  test("reports what a cold one does, of the starter and of each delivery", { timeout: 120_000 }, async () => {
    const { task, mock, failureMode } = await loadTask(id);
    const timeoutMs = failureMode === "infinite-loop" ? 3_000 : 20_000;
    if (!("files" in task.source)) throw new Error("a built-in task brings its starter files");
    const runner = builtInRunners().find(({ name }) => name === task.oracle?.["runner"])!;
    expect(runner.canBeWarm).toBe(true);
    const tests: Files = { ...task.testFiles, ...task.hiddenTestFiles };
    const entries = Object.keys(tests).filter((path) => runner.isTestFile(path));
    const empty = await sandbox.snapshots.put({ files: {} });
    await using workspace = await sandbox.open({ snapshot: empty, lane: "warm" }, { signal });

    for (const work of [mock!.right.files, mock!.wrong.files, {}]) {
      const files = { ...task.source.files, ...work, ...tests };
      const snapshot = await sandbox.snapshots.put({ files });
      const report = async (warm: boolean) => {
        await workspace.restore(snapshot);
        return await runner.run(workspace, entries, { signal, timeoutMs, warm, ahead: true });
      };
      const [cold, warm] = [await report(false), await report(true)];
      expect(cold.report.tests.length).toBeGreaterThan(0);
      expect(warm.report).toEqual(cold.report);
      expect(warm.warm).toBe(true);
    }
  });
});
