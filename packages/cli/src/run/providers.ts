import { InvalidInputError, type LLMClient } from "@swarm/core";
import type { CliIO } from "../io.ts";

type Env = CliIO["env"];
type Access = { apiKey?: string; baseURL: string };
/** Where a provider is, which key it wants, and how its models are made. SDKs are loaded when a model is asked for. */
export type Provider = {
  /** Variable that holds the key. */
  key: string | null;
  keyRequired: boolean;
  baseURL: string;
  /** Variable that names another address. */
  baseURLFrom: string | null;
  connect(provider: string, model: string, access: Access): Promise<LLMClient>;
};

const compatible: Provider["connect"] = async (name, model, access) =>
  (await import("@swarm/llm/openai-compatible")).openaiCompatible({ name, ...access })(model);

export const PROVIDERS: Readonly<Record<string, Provider>> = {
  anthropic: {
    key: "ANTHROPIC_API_KEY",
    keyRequired: true,
    baseURL: "https://api.anthropic.com",
    baseURLFrom: "ANTHROPIC_BASE_URL",
    connect: async (_, model, access) => (await import("@swarm/llm/anthropic")).anthropic(model, access),
  },
  openai: {
    key: "OPENAI_API_KEY",
    keyRequired: true,
    baseURL: "https://api.openai.com/v1",
    baseURLFrom: "OPENAI_BASE_URL",
    connect: async (_, model, access) => (await import("@swarm/llm/openai")).openai(model, access),
  },
  openrouter: {
    key: "OPENROUTER_API_KEY",
    keyRequired: true,
    baseURL: "https://openrouter.ai/api/v1",
    baseURLFrom: null,
    connect: compatible,
  },
  gemini: {
    key: "GEMINI_API_KEY",
    keyRequired: true,
    baseURL: "https://generativelanguage.googleapis.com/v1beta/openai",
    baseURLFrom: null,
    connect: compatible,
  },
  ollama: {
    key: null,
    keyRequired: false,
    baseURL: "http://localhost:11434/v1",
    baseURLFrom: "OLLAMA_HOST",
    connect: compatible,
  },
  vllm: {
    key: "VLLM_API_KEY",
    keyRequired: false,
    baseURL: "http://localhost:8000/v1",
    baseURLFrom: "VLLM_BASE_URL",
    connect: compatible,
  },
};

/** Throws an {@link InvalidInputError} for a key that is missing (`MISSING_KEY`) or an address that is none. Calls nothing. */
export function accessTo(provider: string, { key, keyRequired, baseURL, baseURLFrom }: Provider, env: Env): Access {
  const apiKey = key === null ? undefined : env[key]?.trim();
  if (!apiKey && keyRequired) {
    const help = `is not set, and models of ${provider} need it. Set it, or use --mock, which needs no key`;
    throw new InvalidInputError(key ?? provider, help, { code: "MISSING_KEY" });
  }
  const elsewhere = baseURLFrom === null ? undefined : env[baseURLFrom]?.trim();
  const address = baseURLFrom && elsewhere ? addressIn(baseURLFrom, elsewhere) : baseURL;
  return { baseURL: address, ...(apiKey ? { apiKey } : {}) };
}

/** `OLLAMA_HOST` is a host with or without scheme and port; the others are whole addresses. */
function addressIn(variable: string, value: string): string {
  const isHost = variable === "OLLAMA_HOST";
  const text = isHost && !value.includes("://") ? `http://${value}` : value;
  if (!URL.canParse(text)) throw new InvalidInputError(variable, `${JSON.stringify(value)} is no address`);
  if (!isHost) return text;
  const url = new URL(text);
  if (url.port === "" && !/:\d+\/?$/.test(text)) url.port = "11434";
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1"; // where a server listens is not where it is called
  return `${url.href.replace(/\/$/, "")}/v1`;
}
