import { InvalidInputError } from "@swarm/core";
import { type Answer, type Script, type ScriptedClient, scripted } from "@swarm/core/testing";
import type { LoadedTask, MockDelivery } from "./read-task-file.ts";

export type MockOptions = {
  /** Every attempt delivers the wrong files, so that the run fails when its retries are spent. Default false. */
  never?: boolean;
};

/**
 * The answers of one model in all roles of the codeswarm team, through its whole loop: a plan of one step, a wrong
 * delivery, a hint from the reviewer, the right delivery.
 */
export function mockScript(delivery: MockDelivery, options: MockOptions = {}): Script {
  const { plan, wrong, hint, right } = delivery;
  const planned = { "run/plan|planner|0.0": JSON.stringify({ steps: [plan] }) };
  if (options.never) {
    return { ...planned, ...coderAnswers("*", wrong), "run/implement|reviewer|*.0": hint };
  }
  return {
    ...planned,
    ...coderAnswers("0", wrong),
    "run/implement|reviewer|0.0": hint,
    ...coderAnswers("1", right),
  };
}

/** Looks at the files, writes them, and says what was done. A delivery without files is a look around. */
function coderAnswers(attempt: string, { files, says }: MockDelivery["wrong"]): Record<string, Answer> {
  const written = Object.entries(files);
  if (written.length === 0) {
    const look = [{ tool: "list_dir", args: { path: "." } }];
    return { [`run/implement|coder|${attempt}.0`]: look, [`run/implement|coder|${attempt}.1`]: says };
  }
  return {
    [`run/implement|coder|${attempt}.0`]: written.map(([path]) => ({ tool: "read_file", args: { path } })),
    [`run/implement|coder|${attempt}.1`]: written.map(([path, content]) => ({
      tool: "write_file",
      args: { path, content },
    })),
    [`run/implement|coder|${attempt}.2`]: says,
  };
}

/** The scripted model of a task, `mock:<id>`. Throws an {@link InvalidInputError} for a task without a mock. */
export function mockModel(loaded: Pick<LoadedTask, "id" | "mock">, options: MockOptions = {}): ScriptedClient {
  if (loaded.mock === null) {
    throw new InvalidInputError("mock", `the task ${loaded.id} has no mock delivery; give it one or use a real model`);
  }
  return scripted(`mock:${loaded.id}`, mockScript(loaded.mock, options));
}
