import { InvalidInputError } from "@swarm/core";

/** Where a provider is, which variables hold its key and address, and how its models are called. */
export type Provider = {
  /** The first half of its models' ids. */
  name: string;
  /** The API that it speaks, and so the subpath and the SDK that its models need. */
  api: "anthropic" | "openai" | "openai-compatible";
  /** Variables that may hold the key; the first that is set does. */
  keyVariables: readonly string[];
  baseURL: string;
  /** Variable that names another address. */
  baseURLVariable: string | null;
  /** What the names of its own models begin with, where no other provider's do. */
  models: RegExp | null;
  /** A server of the user's own: it may be down, needs no key, and costs what nobody lists. */
  local: boolean;
};
export type Env = Readonly<Record<string, string | undefined>>;
export type Access = { apiKey?: string; baseURL: string };

/** Every provider that `modelOf` knows. */
export const PROVIDERS: readonly Provider[] = [
  {
    name: "anthropic",
    api: "anthropic",
    keyVariables: ["ANTHROPIC_API_KEY"],
    baseURL: "https://api.anthropic.com",
    baseURLVariable: "ANTHROPIC_BASE_URL",
    models: /^claude-/,
    local: false,
  },
  {
    name: "openai",
    api: "openai",
    keyVariables: ["OPENAI_API_KEY"],
    baseURL: "https://api.openai.com/v1",
    baseURLVariable: "OPENAI_BASE_URL",
    models: /^(gpt-|o\d)/,
    local: false,
  },
  {
    name: "openrouter",
    api: "openai-compatible",
    keyVariables: ["OPENROUTER_API_KEY"],
    baseURL: "https://openrouter.ai/api/v1",
    baseURLVariable: null,
    models: null,
    local: false,
  },
  {
    name: "gemini",
    api: "openai-compatible",
    keyVariables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    baseURL: "https://generativelanguage.googleapis.com/v1beta/openai",
    baseURLVariable: null,
    models: /^gemini-/,
    local: false,
  },
  {
    name: "ollama",
    api: "openai-compatible",
    keyVariables: [],
    baseURL: "http://localhost:11434/v1",
    baseURLVariable: "OLLAMA_HOST",
    models: null,
    local: true,
  },
  {
    name: "vllm",
    api: "openai-compatible",
    keyVariables: ["VLLM_API_KEY"],
    baseURL: "http://localhost:8000/v1",
    baseURLVariable: "VLLM_BASE_URL",
    models: null,
    local: true,
  },
];

/** Throws an {@link InvalidInputError} for a key that is missing (`MISSING_KEY`) or an address that is none. */
export function accessTo({ name, keyVariables, baseURL, baseURLVariable, local }: Provider, env: Env): Access {
  const apiKey = keyIn(keyVariables, env);
  const [keyVariable, ...others] = keyVariables;
  if (keyVariable !== undefined && apiKey === undefined && !local) {
    const nor = others.map((other) => `nor is ${other}, `).join("");
    const message = `is not set, ${nor}and models of ${name} need it`;
    throw new InvalidInputError(keyVariable, message, { code: "MISSING_KEY" });
  }
  const elsewhere = readVariable(baseURLVariable, env);
  return {
    baseURL: baseURLVariable !== null && elsewhere !== undefined ? addressIn(baseURLVariable, elsewhere) : baseURL,
    ...(apiKey !== undefined && { apiKey }),
  };
}

/** The key that the first of these variables holds that is set. */
export function keyIn(variables: readonly string[], env: Env): string | undefined {
  return variables.map((variable) => readVariable(variable, env)).find((key) => key !== undefined);
}

/** What a variable is set to; set to nothing is not set. */
function readVariable(variable: string | null, env: Env): string | undefined {
  return (variable === null ? undefined : env[variable]?.trim()) || undefined;
}

/** `OLLAMA_HOST` is read as Ollama does: a host, with or without scheme and port. The others are whole addresses. */
function addressIn(variable: string, value: string): string {
  const isHost = variable === "OLLAMA_HOST";
  const hasScheme = value.includes("://");
  const text = isHost && !hasScheme ? `http://${value}` : value;
  if (!/^https?:/.test(text) || !URL.canParse(text)) {
    const right = isHost ? "gpu:11434 or http://gpu:11434" : "http://gpu:8000/v1";
    throw new InvalidInputError(variable, `${JSON.stringify(value)} is no address; give one such as ${right}`);
  }
  if (!isHost) return text;
  const url = new URL(text);
  if (!hasScheme && !/:\d+\/?$/.test(text)) url.port = "11434";
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1"; // where a server listens is not where it is called
  return `${url.href.replace(/\/$/, "")}/v1`;
}
