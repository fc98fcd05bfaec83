import { coder, codeswarm, devTeam, selfHealing } from "@swarm/agents";
import type { Clock, LLMClient, Task, Team } from "@swarm/core";
import { pick } from "./chance.ts";

/** Waits for nothing. */
export const clock: Clock = {
  now: () => Date.now(),
  after(_, then) {
    const timer = setImmediate(then);
    return () => clearImmediate(timer);
  },
};

/** Each team with settings by chance. */
export const TEAMS: Record<string, (model: LLMClient, seed: number) => Team> = {
  codeswarm: (model, seed) =>
    codeswarm({
      model,
      maxRetries: pick([0, 1, 2], "retries", seed),
      calls: { coder: 3, planner: 3, tester: 2, reviewer: 1 },
    }),
  "self-healing": (model, seed) =>
    selfHealing({
      model,
      maxDebugIterations: pick([0, 1, 3], "repairs", seed),
      calls: { developer: 2, debugger: 2, architect: 3, reviewer: 1 },
    }),
  "dev-team": (model, seed) =>
    devTeam({
      model,
      maxRounds: pick([1, 2, 3, 5], "rounds", seed),
      calls: { coder: pick([1, 2, 3, 4], "calls", seed), pm: pick([1, 3], "pm", seed) },
      windowTurns: pick([1, 10], "window", seed),
    }),
  coder: (model, seed) => coder({ model, maxCalls: pick([1, 2, 5, 10], "calls", seed) }),
};

export const PLAIN: Task = {
  id: "odd",
  prompt: "Make a.py.",
  source: { files: { "a.py": "def f():\n    return 1\n" } },
};
export const GIVEN: Task = {
  ...PLAIN,
  testFiles: { "tests/test_given.py": "def test_given(): pass\n" },
  oracle: { runner: "pytest" },
};
