import { InvalidInputError, type LLMClient } from "@swarm/core";
import { OpenAI } from "openai";
import { chatAnswer } from "./chat-answer.ts";
import { chatRequest } from "./chat-request.ts";
import { modelClient } from "./model-client.ts";
import type { ModelOptions } from "./model-options.ts";
import { Interrupted } from "./provider-fault.ts";

export type ServerOptions = {
  /** The first half of its models' ids; reasoning is sent back only to a server of the same name. */
  name: string;
  /** Up to and including the version, such as `http://localhost:11434/v1`. */
  baseURL: string;
  /** Default: none is sent, which is what Ollama and vLLM expect. */
  apiKey?: string;
  /** Sent with every request. */
  headers?: Record<string, string>;
};
export type CompatibleOptions = ModelOptions & {
  /** A client of your own, taken as it is; then the server's address, key and headers are not read. */
  client?: OpenAI;
};

/**
 * The models of a server that speaks Chat Completions, such as OpenRouter, Gemini, Ollama or vLLM, as `<name>:<model>`.
 *
 * Answers are not streamed: servers agree on the whole answer, and differ most in how they cut it up. The price is that
 * Node's fetch ends a request whose headers take five minutes; for a server that slow pass a `client` with its own fetch.
 */
export function openaiCompatible(server: ServerOptions): (model: string, options?: CompatibleOptions) => LLMClient {
  const { name, baseURL } = server;
  if (!/^[\w.-]+$/.test(name))
    throw new InvalidInputError("name", `${JSON.stringify(name)} is no name; use letters, digits, "-", "_" and "."`);
  if (!URL.canParse(baseURL)) throw new InvalidInputError("baseURL", `${JSON.stringify(baseURL)} is no URL`);
  return (model, options = {}) =>
    modelClient(
      {
        provider: name,
        model,
        connect: () => options.client ?? connect(server),
        encode: (request) => chatRequest(name, model, request),
        async send(client: OpenAI, body, { signal, timeoutMs: timeout }) {
          const response = await client.chat.completions.create(body, { signal, timeout, maxRetries: 0 }).asResponse();
          return response.text().catch((cause) => {
            throw new Interrupted("the body broke off", { cause });
          });
        },
        decode: (body, request) => chatAnswer(name, body, request),
        secrets: (client) => [client.apiKey, ...Object.values(server.headers ?? {})],
      },
      options,
    );
}

/** Everything that the SDK would otherwise take from OpenAI's variables is given: another server must not be sent them. */
function connect({ baseURL, apiKey, headers }: ServerOptions): OpenAI {
  return new OpenAI({
    baseURL,
    apiKey: apiKey ?? "none",
    adminAPIKey: null,
    organization: null,
    project: null,
    maxRetries: 0,
    // At errors the SDK prints to the console; they are thrown anyway.
    logLevel: "off",
    defaultHeaders: { ...(apiKey === undefined && { Authorization: null }), ...headers },
  });
}
