import {
  defineTeam,
  type Effort,
  InvalidInputError,
  type LLMClient,
  type ModelId,
  type Role,
  type Team,
  type TeamRef,
} from "@swarm/core";
import { cleanRoomOracle, testRunner } from "@swarm/oracle";
import { localSandbox } from "@swarm/sandbox";
import { codingToolsWith, readingTools } from "@swarm/tools";
import { CODER } from "./coder.ts";
import {
  byRole,
  type CodeswarmRole,
  type CodeswarmSettings,
  checkConfig,
  checkRoleNames,
  DEFAULT_CALLS,
} from "./config.ts";
import { implement } from "./implement.ts";
import { plan } from "./plan.ts";
import { PLANNER } from "./planner.ts";
import { REVIEWER } from "./reviewer.ts";
import { TESTER } from "./tester.ts";
import { workflow } from "./workflow.ts";
import { writeTests } from "./write-tests.ts";

/** Grows whenever a prompt, a program or the workflow changes so that logs of before no longer fit. */
const VERSION = "1";

type Models = Role["models"];

export type CodeswarmOptions = Partial<Omit<CodeswarmSettings, "calls">> & {
  /** The model of every role that `models` does not name. A list is a model and its fallbacks, in order. */
  model: LLMClient | Models;
  models?: Partial<Record<CodeswarmRole, LLMClient | Models>>;
  /** Model calls of a role in one attempt of a step, 1 to 10. Default: planner 7, coder 10, tester 8, reviewer 5. */
  calls?: Partial<Record<CodeswarmRole, number>>;
  /** Reasoning effort by role. Default: the provider's own. */
  effort?: Partial<Record<CodeswarmRole, Effort>>;
};

/**
 * A planner orders steps; for each a coder edits and the tests judge; a reviewer advises the next attempt; where the task
 * brings no tests, a tester writes them first. Throws an {@link InvalidInputError} for an option that cannot be right.
 */
export function codeswarm(options: CodeswarmOptions): Team {
  const { model, models = {}, effort = {}, maxRetries = 3, maxSteps = 10, calls = {}, maxTokens = {} } = options;
  const { commandTimeoutSeconds = 10 } = options;
  checkRoleNames("models", Object.keys(models));
  checkRoleNames("effort", Object.keys(effort));
  checkRoleNames("calls", Object.keys(calls));
  checkRoleNames("maxTokens", Object.keys(maxTokens));
  const clients = byRole((role) => clientsOf(role, models[role] ?? model));
  const ids = byRole((role) => clients[role].map((client) => client.id));
  const config = checkConfig({
    models: ids,
    effort,
    maxRetries,
    maxSteps,
    calls: { ...DEFAULT_CALLS, ...calls },
    maxTokens,
    commandTimeoutSeconds,
  });
  const role = (name: CodeswarmRole, system: string, tools: Role["tools"]): Role => {
    const chosen = effort[name];
    const most = maxTokens[name];
    return {
      models: clients[name],
      system,
      tools,
      ...(chosen === undefined ? {} : { effort: chosen }),
      ...(most === undefined ? {} : { maxTokens: most }),
    };
  };

  return defineTeam({
    specificationVersion: "v1",
    name: "codeswarm",
    version: VERSION,
    config,
    roles: {
      planner: role("planner", PLANNER, readingTools),
      coder: role("coder", CODER, codingToolsWith({ run: { timeoutSeconds: commandTimeoutSeconds } })),
      tester: role("tester", TESTER, readingTools),
      reviewer: role("reviewer", REVIEWER, readingTools),
    },
    programs: [plan, implement, writeTests],
    workflow: (run) => workflow(run, config),
    defaults: { sandbox: () => localSandbox(), tests: () => testRunner(), oracle: () => cleanRoomOracle() },
  });
}

/** The same team from its reference, in another process: `resolve` gives the model of an id, with that process's keys. */
export function codeswarmFrom(ref: TeamRef, resolve: (id: ModelId) => LLMClient): Team {
  if (ref.name !== "codeswarm") {
    throw new InvalidInputError("team.name", `${JSON.stringify(ref.name)} is not codeswarm`, { code: "TEAM_MISMATCH" });
  }
  if (ref.version !== VERSION) {
    throw new InvalidInputError(
      "team.version",
      `this package makes version ${VERSION}, and ${ref.version} is asked for`,
      { code: "TEAM_MISMATCH" },
    );
  }
  const { models, ...rest } = checkConfig(ref.config);
  const clients = byRole((role) => clientsOf(role, models[role].map(resolve)));
  return codeswarm({ ...rest, model: clients.planner, models: clients });
}

function clientsOf(role: CodeswarmRole, models: LLMClient | readonly LLMClient[]): Models {
  const [first, ...fallbacks] = [models].flat();
  if (first === undefined) {
    throw new InvalidInputError(`models.${role}`, "is missing; give `model`, or one for each role");
  }
  return [first, ...fallbacks];
}
