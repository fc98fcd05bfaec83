import { defineTeam, type Effort, type LLMClient, type Role, type Team } from "@swarm/core";
import { editingTools, readingTools } from "@swarm/tools";
import { localPorts } from "../local-ports.ts";
import { type TeamFrom, teamFrom } from "../team-from.ts";
import { type MemoryOptions, memoryOf } from "../team-memory.ts";
import { checkRoleNames, type ModelChoice, modelsOf, roleWith, withoutUnset } from "../team-roles.ts";
import { ARCHITECT } from "./architect.ts";
import { close } from "./close.ts";
import {
  bySelfHealingRole,
  checkConfig,
  DEFAULT_CALLS,
  DEFAULT_EFFORT,
  DEFAULT_TEMPERATURE,
  SELF_HEALING_ROLES,
  type SelfHealingRole,
  type SelfHealingSettings,
} from "./config.ts";
import { DEBUGGER } from "./debugger.ts";
import { design } from "./design.ts";
import { develop } from "./develop.ts";
import { DEVELOPER } from "./developer.ts";
import { repair } from "./repair.ts";
import { REVIEWER } from "./reviewer.ts";
import { runTests } from "./run-tests.ts";
import { workflow } from "./workflow.ts";

/** Its version grows whenever a prompt, a program or the workflow changes so that logs of before no longer fit. */
const IDENTITY = { name: "self-healing", version: "5" } as const;

export type SelfHealingOptions = ModelChoice<SelfHealingRole> &
  MemoryOptions &
  Partial<Omit<SelfHealingSettings, "calls" | keyof MemoryOptions>> & {
    /** Model calls of a role in one step, 1 to 10. Default: architect 8, developer 10, debugger 10, reviewer 3. */
    calls?: Partial<Record<SelfHealingRole, number>>;
    /** What the debugger works with after a repair that did not help. Default: as before. */
    escalation?: { model?: LLMClient; effort?: Effort };
  };

/**
 * An architect writes specification and tests, a developer implements them, a test runner that is plain code decides, a
 * debugger mends what fails, on the code that failed, up to `maxDebugIterations` times, and a reviewer closes with a report.
 * By default the architect and the debugger think long, the developer less, the reviewer little. Throws an
 * `InvalidInputError` for an option that cannot be right.
 */
export function selfHealing(options: SelfHealingOptions): Team {
  const { models = {}, calls = {}, maxTokens = {}, effort = {}, temperature = {}, escalation } = options;
  checkRoleNames(SELF_HEALING_ROLES, { models, calls, maxTokens, effort, temperature });
  const { settings, remembering } = memoryOf(options);
  const clients = withEscalation(modelsOf(SELF_HEALING_ROLES, options), escalation?.model);
  const config = checkConfig({
    models: bySelfHealingRole((role) => clients[role].map(({ id }) => id)),
    escalation: escalation ? withoutUnset({ model: escalation.model?.id, effort: escalation.effort }) : null,
    maxDebugIterations: options.maxDebugIterations ?? 3,
    calls: { ...DEFAULT_CALLS, ...calls },
    maxTokens,
    effort: { ...DEFAULT_EFFORT, ...effort },
    temperature: { ...DEFAULT_TEMPERATURE, ...temperature },
    ...settings,
  });
  const role = (name: SelfHealingRole, system: string, tools: Role["tools"]): Role =>
    roleWith(
      { models: clients[name], system, tools },
      { effort: config.effort[name], maxTokens: maxTokens[name], temperature: config.temperature[name] },
    );

  return defineTeam({
    specificationVersion: "v1",
    ...IDENTITY,
    config,
    roles: {
      architect: { ...role("architect", ARCHITECT, readingTools), ...remembering },
      developer: { ...role("developer", DEVELOPER, editingTools), ...remembering },
      debugger: { ...role("debugger", DEBUGGER, editingTools), ...remembering },
      reviewer: role("reviewer", REVIEWER, readingTools),
    },
    programs: [design, develop, runTests, repair, close],
    workflow: (run) => workflow(run, config),
    defaults: localPorts,
  });
}

/** {@link selfHealing} from its reference, as {@link TeamFrom} says. */
export const selfHealingFrom: TeamFrom = teamFrom(
  IDENTITY,
  SELF_HEALING_ROLES,
  checkConfig,
  ({ escalation, ...options }) => {
    if (!escalation) return selfHealing(options);
    const model = options.models.debugger.find(({ id }) => id === escalation.model);
    return selfHealing({ ...options, escalation: withoutUnset({ model, effort: escalation.effort }) });
  },
);

/** A role can only be given a model that it has: the one to escalate to is the last of the debugger's fallbacks. */
function withEscalation(
  clients: Record<SelfHealingRole, Role["models"]>,
  model: LLMClient | undefined,
): Record<SelfHealingRole, Role["models"]> {
  if (model === undefined || clients.debugger.some(({ id }) => id === model.id)) return clients;
  return { ...clients, debugger: [...clients.debugger, model] };
}
