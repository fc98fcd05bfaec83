// Runs every step in a worker process that is given the step's JSON and the team module, and nothing else.
import { codeswarm } from "@swarm/agents";
import { runTask } from "@swarm/core";
import { ProcessExecutor } from "@swarm/executors";
import { loadTask, mockModel } from "@swarm/tasks";

const executor = new ProcessExecutor({
  module: new URL("./team-module.ts", import.meta.url),
  onWorker: (pid, { step, attempt }) => console.log(`worker ${pid}: ${step.stepId}, attempt ${attempt}`),
});

const loaded = await loadTask("linked-list");
const trajectory = await runTask(loaded.task, { team: codeswarm({ model: mockModel(loaded) }), executor });
console.log(`Verdict: ${trajectory.verdict.outcome}`);
if (!trajectory.verdict.passed) process.exitCode = 1;
