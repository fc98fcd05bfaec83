// Embeds a run: follow its events, limit it, take its patch. Offline: the model is the task's scripted one.
import { codeswarm } from "@swarm/agents";
import { startRun } from "@swarm/core";
import { loadTask, mockModel } from "@swarm/tasks";

const loaded = await loadTask("linked-list");
const run = startRun(loaded.task, {
  team: codeswarm({ model: mockModel(loaded) }), // or anthropic("claude-sonnet-5-5")
  limits: { modelCalls: 50, wallMs: 5 * 60_000 },
});

run.on("recovery", ({ payload }) => {
  if (payload.type === "recovered" && payload.how === "hint") console.log(`The reviewer's hint: ${payload.detail}`);
});

const trajectory = await run.result;
console.log(`Verdict: ${trajectory.verdict.outcome}, ${trajectory.verdict.signals.testsPassed} tests passed`);
console.log(new TextDecoder().decode(await trajectory.patch()));
if (!trajectory.verdict.passed) process.exitCode = 1;
