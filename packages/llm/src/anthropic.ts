import Anthropic from "@anthropic-ai/sdk";
import { Stream } from "@anthropic-ai/sdk/core/streaming";
import type { LLMClient } from "@swarm/core";
import { anthropicAnswer, isEnd } from "./anthropic-answer.ts";
import { anthropicRequest } from "./anthropic-request.ts";
import { modelClient } from "./model-client.ts";
import type { ModelOptions, StreamOptions } from "./model-options.ts";
import { missingKey } from "./provider-fault.ts";
import { readEvents } from "./read-events.ts";

export type AnthropicOptions = ModelOptions &
  StreamOptions & {
    /** A client of your own, taken as it is; then `apiKey` and `baseURL` are not read. */
    client?: Anthropic;
    /** Default: what the SDK finds, first in `ANTHROPIC_API_KEY`. */
    apiKey?: string;
    baseURL?: string;
    /** The API's `thinking`, sent as it is. Default: left out, so that the model does as it does by default. */
    thinking?: Anthropic.ThinkingConfigParam;
  };

/**
 * A Claude model on the Messages API, as `anthropic:<model>`. The SDK's client is made at the first call or `preflight()`.
 *
 * Every answer is streamed and given on only when it is whole: the SDK refuses long answers otherwise, Node's fetch ends
 * a request whose headers take five minutes, and only the stream shows the text of a tool call's arguments, by which a
 * call that was cut off is told from a whole one.
 */
export function anthropic(model: string, options: AnthropicOptions = {}): LLMClient {
  return modelClient(
    {
      provider: "anthropic",
      model,
      connect: () => options.client ?? connect(`anthropic:${model}`, options),
      encode: (request) => anthropicRequest(model, request, options.thinking),
      async send(client: Anthropic, body, limits) {
        const { signal, timeoutMs: timeout } = limits;
        const response = await limits.streamed(() =>
          client.messages.create(body, { signal, timeout, maxRetries: 0 }).asResponse(),
        );
        const stream = Stream.fromSSEResponse<Anthropic.RawMessageStreamEvent>(response, new AbortController(), client);
        return readEvents(stream, { begun: (event) => event.type === "content_block_delta", ended: isEnd });
      },
      decode: anthropicAnswer,
      secrets: (client) => [client.apiKey, client.authToken],
    },
    options,
  );
}

async function connect(id: string, { apiKey, baseURL }: AnthropicOptions): Promise<Anthropic> {
  const settings = {
    maxRetries: 0,
    // At errors the SDK prints what the model said; they are thrown anyway.
    logLevel: "off" as const,
    ...(apiKey !== undefined && { apiKey }),
    ...(baseURL !== undefined && { baseURL }),
  };
  await requireCredentials(id, settings);
  return new Anthropic(settings);
}

/**
 * The SDK looks for credentials in several places and complains only at the first request. So a second client builds one
 * that it cannot send: that it wants to fetch a token means that it found something to fetch it with.
 */
async function requireCredentials(id: string, settings: { apiKey?: string; baseURL?: string }): Promise<void> {
  let asked = false;
  const offline = () => {
    asked = true;
    return Promise.reject(new Error("offline"));
  };
  try {
    await new Anthropic({ ...settings, fetch: offline }).buildRequest({ method: "post", path: "/v1/messages" });
  } catch (error) {
    if (!asked) throw missingKey(id, "set ANTHROPIC_API_KEY, or pass apiKey or client", error);
  }
}
