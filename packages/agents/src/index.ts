export { type AgentEnd, type AgentOptions, type AgentResult, runAgent } from "./agent-loop.ts";
export { type CodeFile, CodeFileSchema, codeOf } from "./coder/code.ts";
export { type CoderTeamOptions, coder, coderFrom } from "./coder/coder.ts";
export { CODER_ROLES, type CoderConfig, type CoderRole, type CoderSettings } from "./coder/config.ts";
export { type Finish, FinishSchema, finish } from "./coder/finish.ts";
export { type Critique, CritiqueSchema, type Reflection, ReflectionSchema, reflect } from "./coder/reflect.ts";
export { type CoderOptions, type CoderResult, CoderResultSchema, runCoder } from "./coder/run-coder.ts";
export type { CoderReport } from "./coder/workflow.ts";
export { type Candidate, MOST_CANDIDATES } from "./codeswarm/candidates.ts";
export { type CodeswarmOptions, codeswarm, codeswarmFrom } from "./codeswarm/codeswarm.ts";
export {
  CODESWARM_ROLES,
  type CodeswarmConfig,
  type CodeswarmRole,
  type CodeswarmSettings,
} from "./codeswarm/config.ts";
export type { CodeswarmReport } from "./codeswarm/workflow.ts";
export { DEV_TEAM_ROLES, type DevTeamConfig, type DevTeamRole, type DevTeamSettings } from "./dev-team/config.ts";
export { type DevTeamOptions, devTeam, devTeamFrom } from "./dev-team/dev-team.ts";
export type { DevTeamReport, TaskReport } from "./dev-team/workflow.ts";
export { localPorts } from "./local-ports.ts";
export {
  SELF_HEALING_ROLES,
  type SelfHealingConfig,
  type SelfHealingRole,
  type SelfHealingSettings,
} from "./self-healing/config.ts";
export { type SelfHealingOptions, selfHealing, selfHealingFrom } from "./self-healing/self-healing.ts";
export type { SelfHealingReport } from "./self-healing/workflow.ts";
export { type AskOptions, askFor } from "./structured.ts";
export type { TeamFrom } from "./team-from.ts";
