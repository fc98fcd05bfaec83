import { defineTeam, type Effort, type Role, type Team } from "@swarm/core";
import { editingTools, readFile, readingTools, runTests } from "@swarm/tools";
import { localPorts } from "../local-ports.ts";
import { type TeamFrom, teamFrom } from "../team-from.ts";
import { type MemoryOptions, memoryOf } from "../team-memory.ts";
import { checkRoleNames, type ModelChoice, modelsOf, roleWith } from "../team-roles.ts";
import { type Candidate, candidatesOf } from "./candidates.ts";
import { CODER } from "./coder.ts";
import {
  byCodeswarmRole,
  CODESWARM_ROLES,
  type CodeswarmRole,
  type CodeswarmSettings,
  checkConfig,
  DEFAULT_CALLS,
} from "./config.ts";
import { implement } from "./implement.ts";
import { plan } from "./plan.ts";
import { PLANNER } from "./planner.ts";
import { REVIEWER } from "./reviewer.ts";
import { TESTER } from "./tester.ts";
import { workflow } from "./workflow.ts";
import { writeTests } from "./write-tests.ts";

/** Its version grows whenever a prompt, a program or the workflow changes so that logs of before no longer fit. */
const IDENTITY = { name: "codeswarm", version: "5" } as const;

export type CodeswarmOptions = ModelChoice<CodeswarmRole> &
  MemoryOptions &
  Partial<Omit<CodeswarmSettings, "calls" | "race" | keyof MemoryOptions>> & {
    /** Model calls of a role in one attempt of a step, 1 to 10. Default: planner 7, coder 10, tester 8, reviewer 5. */
    calls?: Partial<Record<CodeswarmRole, number>>;
    /**
     * How many candidates, 2 to 5, work on each step of a plan at once, each on a fork of the workspace: the first whose tests
     * pass wins, and the others are cut off. The first is the coder as it is, each other gets an approach of its own as a hint. Or what
     * each candidate is. It costs up to as many times as much. Default 1: no race.
     */
    race?: number | readonly Candidate[];
    /** Reasoning effort by role. Default: the provider's own. */
    effort?: Partial<Record<CodeswarmRole, Effort>>;
  };

/**
 * A planner orders steps; for each a coder edits and the tests judge; a reviewer advises the next attempt; where the task
 * brings no tests, a tester writes them first. Throws an `InvalidInputError` for an option that cannot be right.
 */
export function codeswarm(options: CodeswarmOptions): Team {
  const { models = {}, effort = {}, maxRetries = 3, maxSteps = 10, calls = {}, maxTokens = {} } = options;
  const { settings, remembering } = memoryOf(options);
  checkRoleNames(CODESWARM_ROLES, { models, effort, calls, maxTokens });
  const clients = modelsOf(CODESWARM_ROLES, options);
  const ids = byCodeswarmRole((role) => clients[role].map(({ id }) => id));
  const race = candidatesOf(options.race ?? 1, ids.coder);
  const config = checkConfig({
    models: ids,
    effort,
    maxRetries,
    maxSteps,
    calls: { ...DEFAULT_CALLS, ...calls },
    maxTokens,
    ...(race ? { race } : {}),
    ...settings,
  });
  const role = (name: CodeswarmRole, system: string, tools: Role["tools"]): Role =>
    roleWith({ models: clients[name], system, tools }, { effort: effort[name], maxTokens: maxTokens[name] });

  return defineTeam({
    specificationVersion: "v1",
    ...IDENTITY,
    config,
    roles: {
      planner: { ...role("planner", PLANNER, readingTools), ...remembering },
      coder: { ...role("coder", CODER, editingTools), ...remembering },
      tester: role("tester", TESTER, [readFile, runTests]),
      reviewer: role("reviewer", REVIEWER, readingTools),
    },
    programs: [plan, implement, writeTests],
    workflow: (run) => workflow(run, config),
    defaults: localPorts,
  });
}

/** {@link codeswarm} from its reference, as {@link TeamFrom} says. */
export const codeswarmFrom: TeamFrom = teamFrom(IDENTITY, CODESWARM_ROLES, checkConfig, codeswarm);
