import type { RunOptions, Trajectory } from "@swarm/core";
import { vi } from "vitest";
import type { Launch } from "../../packages/core/src/engine/run-options.ts";

/** A run that a test made in its process, with what it was made of. */
export type EndedRun = {
  trajectory: Trajectory;
  options: Required<Pick<RunOptions, "team" | "sandbox" | "tests" | "oracle" | "secrets">>;
};

const listeners: ((run: EndedRun) => void)[] = [];

/** For set-ups of test files: told of each run, once it has ended, whichever test made it. A replay is no run. */
export function onEachRun(listener: (run: EndedRun) => void): void {
  listeners.push(listener);
}

vi.mock(import("../../packages/core/src/engine/drive.ts"), async (original) => {
  const { drive } = await original();
  return {
    async drive(launch: Launch, ...rest) {
      const trajectory = await drive(launch, ...rest);
      const { team, sandbox, tests, oracle, secrets } = launch.ports;
      if (launch.replay === undefined)
        for (const listener of listeners) listener({ trajectory, options: { team, sandbox, tests, oracle, secrets } });
      return trajectory;
    },
  };
});
