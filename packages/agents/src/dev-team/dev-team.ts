import { defineTeam, type Role, type Team } from "@swarm/core";
import { testRunner } from "@swarm/oracle";
import { codingToolsWith, readingTools } from "@swarm/tools";
import { finish } from "../coder/finish.ts";
import { localPorts } from "../local-ports.ts";
import { type TeamFrom, teamFrom } from "../team-from.ts";
import { type MemoryOptions, memoryOf } from "../team-memory.ts";
import { checkRoleNames, type ModelChoice, modelsOf, roleWith } from "../team-roles.ts";
import { auditSuite } from "./audit-suite.ts";
import { build } from "./build.ts";
import { checkAgain } from "./check-again.ts";
import { CODER } from "./coder.ts";
import {
  byDevTeamRole,
  checkConfig,
  DEFAULT_CALLS,
  DEV_TEAM_ROLES,
  type DevTeamRole,
  type DevTeamSettings,
} from "./config.ts";
import { draftSpec } from "./draft-spec.ts";
import { fix } from "./fix.ts";
import { groupTasks } from "./group-tasks.ts";
import { PM } from "./pm.ts";
import { QA } from "./qa.ts";
import { review } from "./review.ts";
import { revise } from "./revise.ts";
import { workflow } from "./workflow.ts";
import { writeSuite } from "./write-suite.ts";

/** Its version grows whenever a prompt, a program or the workflow changes so that logs of before no longer fit. */
const IDENTITY = { name: "dev-team", version: "2" } as const;

export type DevTeamOptions = ModelChoice<DevTeamRole> &
  MemoryOptions &
  Partial<Omit<DevTeamSettings, "calls" | keyof MemoryOptions>> & {
    /** Model calls in one step, 1 to 10. Default: PM 7, coder 10. */
    calls?: Partial<DevTeamSettings["calls"]>;
  };

/**
 * A PM turns a requirement into criteria and tasks; a coder builds them one after the other on one workspace and revises each once;
 * QA tests each by its criteria, and the coder fixes what fails, until it passes or `maxRounds` test runs are spent. Coder and QA
 * write to each other by messages that the workflow checks. Throws an `InvalidInputError` for an option that cannot be right.
 */
export function devTeam(options: DevTeamOptions): Team {
  const { models = {}, effort = {}, maxTokens = {}, calls = {} } = options;
  const { maxRounds = 5, commandTimeoutSeconds = 10 } = options;
  const { settings, remembering } = memoryOf(options);
  checkRoleNames(DEV_TEAM_ROLES, { models, effort, maxTokens });
  checkRoleNames(["pm", "coder"], { calls });
  const clients = modelsOf(DEV_TEAM_ROLES, options);
  const config = checkConfig({
    models: byDevTeamRole((role) => clients[role].map(({ id }) => id)),
    maxRounds,
    calls: { ...DEFAULT_CALLS, ...calls },
    maxTokens,
    effort,
    commandTimeoutSeconds,
    ...settings,
  });
  const role = (name: DevTeamRole, system: string, tools: Role["tools"]): Role =>
    roleWith({ models: clients[name], system, tools }, { effort: effort[name], maxTokens: maxTokens[name] });
  const coding = [...codingToolsWith({ run: { timeoutSeconds: commandTimeoutSeconds, loads: true } }), finish];

  return defineTeam({
    specificationVersion: "v1",
    ...IDENTITY,
    config,
    roles: {
      pm: { ...role("pm", PM, readingTools), ...remembering },
      coder: { ...role("coder", CODER, coding), ...remembering },
      qa: role("qa", QA, []), // it answers with its suites, and sees no code
    },
    programs: [draftSpec, groupTasks, build, revise, fix, writeSuite, auditSuite, review, checkAgain],
    workflow: (run) => workflow(run, config),
    defaults: { ...localPorts, tests: () => testRunner({ loads: true }) },
  });
}

/** {@link devTeam} from its reference, as {@link TeamFrom} says. */
export const devTeamFrom: TeamFrom = teamFrom(IDENTITY, DEV_TEAM_ROLES, checkConfig, devTeam);
