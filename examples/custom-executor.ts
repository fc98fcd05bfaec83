// Injects an executor: it decides where steps run. This one runs them here, one after another over all runs, and says how
// long each took; a platform would send the step, which is plain JSON, to a machine of its own.
import { codeswarm } from "@swarm/agents";
import { type Executor, perform, recover, runTask, type Step, type StepHost, type StepResult } from "@swarm/core";
import { loadTask, mockModel } from "@swarm/tasks";

class QueueExecutor implements Executor {
  readonly specificationVersion = "v1";
  #last: Promise<unknown> = Promise.resolve();

  runStep(step: Step, host: StepHost): Promise<StepResult> {
    const result = this.#last.then(() => this.#run(step, host));
    this.#last = result.catch(() => {});
    return result;
  }

  async #run(step: Step, host: StepHost): Promise<StepResult> {
    const started = performance.now();
    const result = await recover(step, async (order) => perform(order, await host.site(), host));
    const ms = Math.round(performance.now() - started);
    console.log(`${step.stepId}: ${result.ok ? "done" : "failed"} after ${result.attempts} attempt(s), ${ms} ms`);
    return result;
  }
}

const executor = new QueueExecutor();
const runs = ["linked-list", "binary-search-tree"].map(async (id) => {
  const loaded = await loadTask(id);
  return runTask(loaded.task, { team: codeswarm({ model: mockModel(loaded) }), executor });
});
for (const { taskId, verdict } of await Promise.all(runs)) {
  console.log(`${taskId}: ${verdict.outcome}`);
  if (!verdict.passed) process.exitCode = 1;
}
