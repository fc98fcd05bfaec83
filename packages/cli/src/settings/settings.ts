import { type Effort, GUARD_DEFAULTS } from "@swarm/core";
import { TEAM_ROLES, type TeamRole } from "../teams/roles.ts";

/** How the command behaves where no flag says otherwise. Null is not set. */
export type Settings = {
  [R in TeamRole as `${R}Model`]: string | null;
} & {
  [R in TeamRole as `${R}ThinkingLevel`]: Effort | null;
} & {
  coderMaxIterations: number;
  coderMaxTokens: number;
  qaMaxIterations: number;
  qaMaxTokens: number;
  maxDebugIterations: number;
  execTimeoutSeconds: number;
  memoryWindowTurns: number;
  memoryTopK: number;
  memoryMaxDistance: number;
  chromaHost: string | null;
  chromaPort: number;
  workerToken: string | null;
  gate: string | null;
  gateUrl: string | null;
  shared: string | null;
  retryMax: number;
  retryBaseDelayS: number;
  retryMaxDelayS: number;
  breakerFailureThreshold: number;
  breakerCooldownS: number;
  cacheTtlS: number;
  logLevel: LogLevel;
} & { [P in ProviderSetting]: string | null };

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

type ProviderSetting = keyof typeof PROVIDER_SETTINGS;

export type SettingKind =
  /** `<provider>:<model>`, or a model's bare name where that says whose it is; then its fallbacks, with commas between. */
  | { type: "model" }
  | { type: "choice"; of: readonly string[] }
  | { type: "integer" | "number"; min: number; max: number }
  | { type: "address" }
  /** Looked at where it is used; `form` says in words what it has to be. */
  | { type: "text"; form: string }
  /** Never shown, and in no configuration file, since those are committed. */
  | { type: "secret" };
/** One setting: what reading, errors and the documentation are made from. */
export type Setting = {
  /** Its name in the environment and in `.env`. */
  variable: string;
  kind: SettingKind;
  /** Null where it is not set then. */
  default: string | number | null;
  help: string;
};

const DAY_S = 86_400;
/** As long as any wait may be: far below what a timer can count. */
const WAIT = { type: "number", min: 0, max: DAY_S } as const;

const ABBREVIATIONS: readonly TeamRole[] = ["pm", "qa"];

/** Their ranges are those of flags too. */
export const CODER_ITERATIONS = { type: "integer", min: 1, max: 10 } as const;
export const QA_ITERATIONS = { type: "integer", min: 1, max: 5 } as const;
export const DEBUG_ITERATIONS = { type: "integer", min: 0, max: 10 } as const;
export const EXEC_TIMEOUT = { type: "integer", min: 1, max: 120 } as const;

/** The keys and addresses of the providers, under the names that these give them. */
export const PROVIDER_SETTINGS = {
  anthropicApiKey: secret("ANTHROPIC_API_KEY", "Key of Anthropic."),
  anthropicBaseUrl: address("ANTHROPIC_BASE_URL", "Another address of Anthropic's API."),
  openaiApiKey: secret("OPENAI_API_KEY", "Key of OpenAI."),
  openaiBaseUrl: address("OPENAI_BASE_URL", "Another address of OpenAI's API."),
  openrouterApiKey: secret("OPENROUTER_API_KEY", "Key of OpenRouter."),
  geminiApiKey: secret("GEMINI_API_KEY", "Key of Gemini."),
  googleApiKey: secret("GOOGLE_API_KEY", "The same, where `GEMINI_API_KEY` is not set."),
  ollamaHost: address("OLLAMA_HOST", "Host of Ollama, with or without scheme and port."),
  vllmApiKey: secret("VLLM_API_KEY", "Key of a vLLM server, where it asks for one."),
  vllmBaseUrl: address("VLLM_BASE_URL", "Another address of a vLLM server."),
} as const;

/** Every setting. */
export const SETTINGS: Readonly<Record<keyof Settings, Setting>> = {
  ...forRoles("Model", (role) => ({
    variable: `${role.toUpperCase()}_MODEL`,
    kind: { type: "model" },
    default: null,
    help: `Model of the ${inWords(role)}. Not set: the team's own.`,
  })),
  ...forRoles("ThinkingLevel", (role) => ({
    variable: `${role.toUpperCase()}_THINKING_LEVEL`,
    kind: { type: "choice", of: ["low", "medium", "high"] },
    default: null,
    help: `Reasoning effort of the ${inWords(role)}. Not set: the team's own, else the provider's.`,
  })),
  coderMaxIterations: {
    variable: "CODER_MAX_ITERATIONS",
    kind: CODER_ITERATIONS,
    default: 10,
    help: "Most model calls of the coder in one attempt at its work.",
  },
  coderMaxTokens: {
    variable: "CODER_MAX_TOKENS",
    kind: { type: "integer", min: 1, max: 1_000_000 },
    default: 8192,
    help: "Most output tokens of one call of the coder.",
  },
  qaMaxIterations: {
    variable: "QA_MAX_ITERATIONS",
    kind: QA_ITERATIONS,
    default: 5,
    help: "Most test runs of QA for one task.",
  },
  qaMaxTokens: {
    variable: "QA_MAX_TOKENS",
    kind: { type: "integer", min: 1, max: 1_000_000 },
    default: 16_384,
    help: "Most output tokens of one call of QA.",
  },
  maxDebugIterations: {
    variable: "MAX_DEBUG_ITERATIONS",
    kind: DEBUG_ITERATIONS,
    default: 3,
    help: "Most repairs by the debugger.",
  },
  execTimeoutSeconds: {
    variable: "EXEC_TIMEOUT_SECONDS",
    kind: EXEC_TIMEOUT,
    default: 10,
    help: "How long a command of a model may take where it asks for no other time, in seconds.",
  },
  memoryWindowTurns: {
    variable: "MEMORY_WINDOW_TURNS",
    kind: { type: "integer", min: 1, max: 1000 },
    default: 10,
    help: "Turns of a role's thread that a request keeps behind the first: each an answer with what it was told in return.",
  },
  memoryTopK: {
    variable: "MEMORY_TOP_K",
    kind: { type: "integer", min: 1, max: 100 },
    default: 3,
    help: "Most earlier runs that a role is told of before a call.",
  },
  memoryMaxDistance: {
    variable: "MEMORY_MAX_DISTANCE",
    kind: { type: "number", min: 0, max: 2 },
    default: 0.65,
    help: "Greatest distance of an earlier run that a role is told of, where memory is in a Chroma server.",
  },
  chromaHost: address(
    "CHROMA_HOST",
    "Host of the Chroma server that holds the memory. Not set: memory is the file `.swarm/memory.db`.",
  ),
  chromaPort: {
    variable: "CHROMA_PORT",
    kind: { type: "integer", min: 1, max: 65_535 },
    default: 8000,
    help: "Port of that server, where its host names none.",
  },
  workerToken: secret(
    "SWARM_WORKER_TOKEN",
    "What a worker that listens asks for, and a run has to bring with its steps: 16 characters or more.",
  ),
  gate: {
    variable: "SWARM_GATE",
    kind: { type: "text", form: "a host and a port" },
    default: null,
    help: "Where workers reach the process of a run. Not set: 127.0.0.1 and a free port.",
  },
  gateUrl: {
    variable: "SWARM_GATE_URL",
    kind: { type: "text", form: "a URL" },
    default: null,
    help: "The address of that for workers, where it is another one, such as a proxy's.",
  },
  shared: {
    variable: "SWARM_SHARED",
    kind: { type: "text", form: "a folder, or s3://bucket/prefix" },
    default: null,
    help: "Stored files that runs and workers on several machines share.",
  },
  retryMax: {
    variable: "RETRY_MAX",
    kind: { type: "integer", min: 0, max: 3 },
    default: GUARD_DEFAULTS.retries,
    help: "How often a call is made again after a transient fault.",
  },
  retryBaseDelayS: {
    variable: "RETRY_BASE_DELAY_S",
    kind: WAIT,
    default: GUARD_DEFAULTS.baseMs / 1000,
    help: "Longest wait before the first retry, in seconds; it doubles with each. The wait itself is drawn from 0 up to it.",
  },
  retryMaxDelayS: {
    variable: "RETRY_MAX_DELAY_S",
    kind: WAIT,
    default: GUARD_DEFAULTS.maxMs / 1000,
    help: "Ceiling of these waits, in seconds. A call whose provider asks for a longer one fails at once.",
  },
  breakerFailureThreshold: {
    variable: "BREAKER_FAILURE_THRESHOLD",
    kind: { type: "integer", min: 1, max: 100 },
    default: GUARD_DEFAULTS.failureThreshold,
    help: "After how many failed calls in a row, retries spent, a model of a role is no longer called for a while.",
  },
  breakerCooldownS: {
    variable: "BREAKER_COOLDOWN_S",
    kind: WAIT,
    default: GUARD_DEFAULTS.coolDownMs / 1000,
    help: "How long it is not called then, in seconds.",
  },
  cacheTtlS: {
    variable: "CACHE_TTL_S",
    kind: { type: "integer", min: 0, max: 365 * DAY_S },
    default: 3600,
    help: "How long the answer to a request that its team calls cacheable is good for, in seconds. 0: no cache.",
  },
  logLevel: {
    variable: "LOG_LEVEL",
    kind: { type: "choice", of: LOG_LEVELS },
    default: "info",
    help: "Least level of the lines that `--log json` prints.",
  },
  ...PROVIDER_SETTINGS,
};

export const SETTING_KEYS = Object.keys(SETTINGS) as (keyof Settings)[];

function inWords(role: TeamRole): string {
  return ABBREVIATIONS.includes(role) ? role.toUpperCase() : role;
}

function forRoles<S extends string>(suffix: S, of: (role: TeamRole) => Setting) {
  const rows = TEAM_ROLES.map((role) => [`${role}${suffix}`, of(role)]);
  return Object.fromEntries(rows) as Record<`${TeamRole}${S}`, Setting>;
}

function secret(variable: string, help: string): Setting {
  return { variable, kind: { type: "secret" }, default: null, help };
}

function address(variable: string, help: string): Setting {
  return { variable, kind: { type: "address" }, default: null, help };
}
