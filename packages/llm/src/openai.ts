import type { LLMClient } from "@swarm/core";
import { OpenAI } from "openai";
import { Stream } from "openai/core/streaming";
import { modelClient } from "./model-client.ts";
import type { ModelOptions, StreamOptions } from "./model-options.ts";
import { missingKey } from "./provider-fault.ts";
import { readEvents } from "./read-events.ts";
import { isBegun, isEnd, responsesAnswer } from "./responses-answer.ts";
import { responsesRequest } from "./responses-request.ts";

export type OpenAIOptions = ModelOptions &
  StreamOptions & {
    /** A client of your own, taken as it is; then `apiKey` and `baseURL` are not read. */
    client?: OpenAI;
    /** Default: what the SDK finds in `OPENAI_API_KEY`. */
    apiKey?: string;
    baseURL?: string;
  };

/**
 * An OpenAI model, as `openai:<model>`. The SDK's client is made at the first call or `preflight()`.
 *
 * On the Responses API: it alone gives reasoning out as items that can be sent back, encrypted, without the provider
 * storing the thread; Chat Completions drops it between the calls of one task. Every answer is streamed and given on only
 * when it is whole, because Node's fetch ends a request whose headers take five minutes, as a long reasoning does. The
 * stream's last event holds the whole answer, so that this costs no assembly.
 */
export function openai(model: string, options: OpenAIOptions = {}): LLMClient {
  return modelClient(
    {
      provider: "openai",
      model,
      connect: () => options.client ?? connect(`openai:${model}`, options),
      encode: (request) => responsesRequest(model, request),
      async send(client: OpenAI, body, limits) {
        const { signal, timeoutMs: timeout } = limits;
        const response = await limits.streamed(() =>
          client.responses.create(body, { signal, timeout, maxRetries: 0 }).asResponse(),
        );
        const stream = Stream.fromSSEResponse<OpenAI.Responses.ResponseStreamEvent>(
          response,
          new AbortController(),
          client,
        );
        return readEvents(stream, { begun: isBegun, ended: isEnd });
      },
      decode: responsesAnswer,
      secrets: (client) => [client.apiKey],
    },
    options,
  );
}

function connect(id: string, { apiKey, baseURL }: OpenAIOptions): OpenAI {
  try {
    return new OpenAI({
      maxRetries: 0,
      // At errors the SDK prints to the console; they are thrown anyway.
      logLevel: "off",
      ...(apiKey !== undefined && { apiKey }),
      ...(baseURL !== undefined && { baseURL }),
    });
  } catch (error) {
    throw missingKey(id, "set OPENAI_API_KEY, or pass apiKey or client", error);
  }
}
