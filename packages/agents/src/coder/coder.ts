import { defineTeam, type LLMClient, type Memory, type ModelId, type Team, type TeamRef } from "@swarm/core";
import { testRunner } from "@swarm/oracle";
import { codingToolsWith } from "@swarm/tools";
import { localPorts } from "../local-ports.ts";
import { type MemoryOptions, memoryFrom, memoryOf } from "../team-memory.ts";
import { checkRoleNames, checkTeamRef, type ModelChoice, modelsFrom, modelsOf, roleWith } from "../team-roles.ts";
import { CODER } from "./coder-prompt.ts";
import { CODER_ROLES, type CoderRole, type CoderSettings, checkConfig } from "./config.ts";
import { finish } from "./finish.ts";
import { work } from "./work.ts";
import { workflow } from "./workflow.ts";

/** Grows whenever a prompt, a program or the workflow changes so that logs of before no longer fit. */
const VERSION = "1";
const NAME = "coder";

export type CoderTeamOptions = ModelChoice<CoderRole> &
  MemoryOptions &
  Partial<Omit<CoderSettings, keyof MemoryOptions>>;

/**
 * One coder alone, for plain requests: it works until it calls `finish` or its model calls are spent, and its report says
 * which of its files ran as they are. Where the task brings no tests, its own decide. Throws an `InvalidInputError` for an
 * option that cannot be right.
 */
export function coder(options: CoderTeamOptions): Team {
  const { models = {}, maxCalls = 10, commandTimeoutSeconds = 10, maxTokens = {}, effort = {} } = options;
  const { settings, remembering } = memoryOf(options);
  checkRoleNames(CODER_ROLES, { models, effort, maxTokens });
  const clients = modelsOf(CODER_ROLES, options);
  const config = checkConfig({
    models: { coder: clients.coder.map(({ id }) => id) },
    maxCalls,
    commandTimeoutSeconds,
    maxTokens,
    effort,
    ...settings,
  });
  const tools = [...codingToolsWith({ run: { timeoutSeconds: commandTimeoutSeconds, loads: true } }), finish];
  const role = roleWith(
    { models: clients.coder, system: CODER, tools },
    { effort: effort.coder, maxTokens: maxTokens.coder },
  );
  return defineTeam({
    specificationVersion: "v1",
    name: NAME,
    version: VERSION,
    config,
    roles: { coder: { ...role, ...remembering } },
    programs: [work],
    workflow: (run) => workflow(run, config),
    defaults: { ...localPorts, tests: () => testRunner({ loads: true }) },
  });
}

/**
 * The same team from its reference, in another process: `resolve` gives the model of an id, with that process's keys. One that
 * has a memory does without where this process gives none; its log says so.
 */
export function coderFrom(
  ref: TeamRef,
  resolve: (id: ModelId) => LLMClient,
  { memory: store }: { memory?: Memory } = {},
): Team {
  checkTeamRef(ref, { name: NAME, version: VERSION });
  const { models, windowTurns, memory, ...rest } = checkConfig(ref.config);
  const { coder: model } = modelsFrom(CODER_ROLES, models, resolve);
  return coder({ ...rest, ...memoryFrom({ windowTurns, memory }, store), model });
}
