import { InvalidInputError } from "@swarm/core";
import { type Script, type ScriptedClient, scripted } from "@swarm/core/testing";
import { coderScript } from "./mocks/coder.ts";
import { codeswarmScript } from "./mocks/codeswarm.ts";
import { devTeamScript } from "./mocks/dev-team.ts";
import { selfHealingScript } from "./mocks/self-healing.ts";
import type { LoadedTask, MockDelivery } from "./read-task-file.ts";
import type { Story } from "./task-file.ts";

export type MockOptions = {
  /** The team that the model plays all roles of. Default `codeswarm`. */
  team?: keyof typeof SCRIPTS;
  /** Default: the task's own, which is the plain one unless it is a demo's other story. */
  story?: Story | undefined;
};

const SCRIPTS = {
  codeswarm: codeswarmScript,
  coder: coderScript,
  "dev-team": devTeamScript,
  "self-healing": selfHealingScript,
};

/** The answers of one model in all roles of a team, through its whole loop: see there. */
export function mockScript(delivery: MockDelivery, { team = "codeswarm", story }: MockOptions = {}): Script {
  return SCRIPTS[team](story === undefined ? delivery : { ...delivery, story });
}

/** The scripted model of a task, `mock:<id>`. Throws an {@link InvalidInputError} for a task without a mock. */
export function mockModel(loaded: Pick<LoadedTask, "id" | "mock">, options: MockOptions = {}): ScriptedClient {
  if (loaded.mock === null) {
    throw new InvalidInputError("mock", `the task ${loaded.id} has no mock delivery; give it one or use a real model`);
  }
  return scripted(`mock:${loaded.id}`, mockScript(loaded.mock, options));
}
