import { defineTeam, type Team } from "@swarm/core";
import { testRunner } from "@swarm/oracle";
import { codingToolsWith } from "@swarm/tools";
import { localPorts } from "../local-ports.ts";
import { type TeamFrom, teamFrom } from "../team-from.ts";
import { type MemoryOptions, memoryOf } from "../team-memory.ts";
import { checkRoleNames, type ModelChoice, modelsOf, roleWith } from "../team-roles.ts";
import { CODER } from "./coder-prompt.ts";
import { CODER_ROLES, type CoderRole, type CoderSettings, checkConfig } from "./config.ts";
import { finish } from "./finish.ts";
import { work } from "./work.ts";
import { workflow } from "./workflow.ts";

/** Its version grows whenever a prompt, a program or the workflow changes so that logs of before no longer fit. */
const IDENTITY = { name: "coder", version: "3" } as const;

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
    ...IDENTITY,
    config,
    roles: { coder: { ...role, ...remembering } },
    programs: [work],
    workflow: (run) => workflow(run, config),
    defaults: { ...localPorts, tests: () => testRunner({ loads: true }) },
  });
}

/** {@link coder} from its reference, as {@link TeamFrom} says. */
export const coderFrom: TeamFrom = teamFrom(IDENTITY, CODER_ROLES, checkConfig, coder);
