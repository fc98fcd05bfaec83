export { type AgentEnd, type AgentOptions, type AgentResult, runAgent } from "./agent-loop.ts";
export { type CodeswarmOptions, codeswarm, codeswarmFrom } from "./codeswarm/codeswarm.ts";
export {
  CODESWARM_ROLES,
  type CodeswarmConfig,
  type CodeswarmRole,
  type CodeswarmSettings,
} from "./codeswarm/config.ts";
export type { CodeswarmReport } from "./codeswarm/workflow.ts";
export { type AskOptions, askFor } from "./structured.ts";
