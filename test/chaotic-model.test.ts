import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { codeswarm } from "@swarm/agents";
import { memoryLogStore, OUTCOMES, runTask } from "@swarm/core";
import { assertSoundRun } from "@swarm/core/testing";
import { localSandbox } from "@swarm/sandbox";
import { builtinTasks, chaosModel, loadTask } from "@swarm/tasks";
import { afterAll, expect, test } from "vitest";

const store = mkdtempSync(join(tmpdir(), "swarm-chaos-"));
afterAll(() => rmSync(store, { recursive: true, force: true }));

const tasks = await builtinTasks();

test.for(tasks.map(({ id }, seed) => [id, seed] as const))(
  "%s: a chaotic model comes to a verdict",
  async ([id, seed]) => {
    const { task } = await loadTask(id);
    const team = codeswarm({ model: chaosModel(seed) });
    const trajectory = await runTask(task, { team, store: memoryLogStore(), sandbox: localSandbox({ store }) });
    assertSoundRun(trajectory);
    const { verdict, events } = trajectory;
    expect(OUTCOMES).toContain(verdict.outcome);
    if (verdict.outcome === "infra-error") expect(verdict.reasons[0]).toMatch(/by the machinery.*\([A-Z_]+\)$/);
    if (!verdict.passed) expect(verdict.reasons.length).toBeGreaterThan(0);
    expect(events.at(-1)?.kind).toBe("verdict");
  },
);
