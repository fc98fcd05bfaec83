import type { JsonObject, LLMClient, LLMRequest, LLMResponse } from "@swarm/core";
import { HttpResponse, http } from "msw";
import type { SetupServer } from "msw/node";
import { anthropic } from "../src/anthropic.ts";
import { openai } from "../src/openai.ts";
import { openaiCompatible } from "../src/openai-compatible.ts";

export const KEY = "test-key-1234567890";

/** An answer, told without any provider's form. `args` is the text of a call's arguments as it stands on the wire. */
export type Sketch = {
  reasoning?: JsonObject[];
  text?: string;
  calls?: { id: string; name: string; args: string }[];
  stop?: "end" | "tool" | "length" | "refusal" | "filter";
  /** Why it was refused. */
  reason?: string;
  usage?: unknown;
};

/** One of the three clients with its API's wire form. */
export type Wire = {
  name: string;
  url: string;
  client: LLMClient;
  answer(sketch: Sketch): Response;
  error(message: string, names?: { type?: string; code?: string }): JsonObject;
  /** A usage of 100 fresh input tokens, 20 read from the cache, 30 stored in it, 40 output, 10 of them reasoning. */
  usage: JsonObject;
  /** The assistant's reasoning blocks in a request body, in order. */
  echoed(body: JsonObject): unknown;
  /** Tool calls and results in a request body. */
  exchanged(body: JsonObject): { calls: { id: unknown; args: unknown }[]; results: { id: unknown; text: unknown }[] };
};

export const AT = { stepId: "run/implement", attempt: 0, role: "coder", nth: 0 };

export function ask(client: LLMClient, request: Partial<LLMRequest> = {}, signal?: AbortSignal): Promise<LLMResponse> {
  const whole: LLMRequest = {
    model: client.id,
    system: "Be brief.",
    turns: [{ role: "user", parts: [{ type: "text", text: "Hello" }] }],
    tools: [],
    maxTokens: 1000,
    cacheable: false,
    ...request,
  };
  return client.complete(whole, { signal: signal ?? new AbortController().signal, at: AT });
}

/** Answers every request of `wire`, and gives the bodies and headers of those that came. */
export function answering(server: SetupServer, wire: Wire, reply: (n: number) => Response | Promise<Response>) {
  const requests: { body: JsonObject; headers: Headers }[] = [];
  server.use(
    http.post(wire.url, async ({ request }) => {
      requests.push({ body: (await request.json()) as JsonObject, headers: request.headers });
      return reply(requests.length - 1);
    }),
  );
  return requests;
}

export function sse(events: readonly JsonObject[]): Response {
  const text = events.map((event) => `event: ${event["type"]}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  return new HttpResponse(text, { headers: { "content-type": "text/event-stream" } });
}

export function anthropicEvents(sketch: Sketch): JsonObject[] {
  const { reasoning = [], text, calls = [], reason = null, usage = anthropicWire.usage } = sketch;
  const blocks: { block: JsonObject; deltas: JsonObject[] }[] = [
    ...reasoning.map((block) =>
      block["type"] === "thinking"
        ? {
            block: { type: "thinking", thinking: "", signature: "" },
            deltas: [
              ...halves(String(block["thinking"])).map((thinking) => ({ type: "thinking_delta", thinking })),
              { type: "signature_delta", signature: block["signature"]! },
            ],
          }
        : { block, deltas: [] },
    ),
    ...(text === undefined
      ? []
      : [
          {
            block: { type: "text", text: "", citations: null },
            deltas: halves(text).map((half) => ({ type: "text_delta", text: half })),
          },
        ]),
    ...calls.map(({ id, name, args }) => ({
      block: { type: "tool_use", id, name, input: {}, caller: { type: "direct" } },
      deltas: halves(args).map((partial_json) => ({ type: "input_json_delta", partial_json })),
    })),
  ];
  // The first event counts the input, the last the output; what does not apply there is null.
  const started = usage === null ? null : { ...(usage as JsonObject), output_tokens: 1 };
  const { output_tokens } = (usage ?? {}) as JsonObject;
  const ended = { input_tokens: null, cache_read_input_tokens: null, output_tokens: output_tokens ?? null };
  const stops = { end: "end_turn", tool: "tool_use", length: "max_tokens", refusal: "refusal", filter: "refusal" };
  const details = reason === null ? null : { type: "refusal", category: "cyber", explanation: reason };
  return [
    {
      type: "message_start",
      message: { id: "msg_1", type: "message", role: "assistant", content: [], usage: started },
    },
    { type: "ping" },
    ...blocks.flatMap(({ block, deltas }, index) => [
      { type: "content_block_start", index, content_block: block },
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ]),
    {
      type: "message_delta",
      delta: { stop_reason: stops[sketch.stop ?? "end"], stop_sequence: null, stop_details: details },
      usage: ended,
    },
    { type: "message_stop" },
  ];
}

export function responsesEvents(sketch: Sketch): JsonObject[] {
  const { reasoning = [], text, calls = [], stop = "end", reason = "No.", usage = responsesWire.usage } = sketch;
  const cut = stop === "length";
  const content =
    stop === "refusal"
      ? [{ type: "refusal", refusal: reason }]
      : [{ type: "output_text", text: text ?? "", annotations: [] }];
  const message = { type: "message", id: "msg_1", role: "assistant", status: "completed", content };
  const output: JsonObject[] = [
    ...reasoning,
    ...(text === undefined && stop !== "refusal" ? [] : [message]),
    ...calls.map(({ id, name, args }, index) => ({
      type: "function_call",
      id: `fc_${index}`,
      call_id: id,
      name,
      arguments: args,
      status: cut && index === calls.length - 1 ? "incomplete" : "completed",
    })),
  ];
  const why = { length: "max_output_tokens", filter: "content_filter" }[stop as "length" | "filter"];
  const type = why ? "incomplete" : "completed";
  const response = { id: "resp_1", object: "response", status: type, output, error: null, usage: usage as JsonObject };
  return [
    { type: "response.created", sequence_number: 0, response: { id: "resp_1", object: "response", output: [] } },
    ...halves(text ?? "").map((delta) => ({ type: "response.output_text.delta", item_id: "msg_1", delta })),
    {
      type: `response.${type}`,
      sequence_number: 9,
      response: { ...response, incomplete_details: why ? { reason: why } : null },
    },
  ];
}

export const anthropicWire: Wire = {
  name: "anthropic",
  url: "https://api.anthropic.com/v1/messages",
  client: anthropic("claude-test", { apiKey: KEY }),
  answer: (sketch) => sse(anthropicEvents(sketch)),
  error: (message, { type = "api_error", code } = {}) => ({
    type: "error",
    error: { type, message, details: code === undefined ? null : { error_code: code } },
    request_id: "req_1",
  }),
  usage: {
    input_tokens: 100,
    cache_read_input_tokens: 20,
    cache_creation_input_tokens: 30,
    output_tokens: 40,
    output_tokens_details: { thinking_tokens: 10 },
  },
  echoed: (body) =>
    itemsOf(body, "messages").flatMap((message) =>
      itemsOf(message, "content").filter(({ type }) => String(type).endsWith("thinking")),
    ),
  exchanged(body) {
    const blocks = itemsOf(body, "messages").flatMap((message) => itemsOf(message, "content"));
    return {
      calls: blocks.filter(({ type }) => type === "tool_use").map(({ id, input }) => ({ id, args: input })),
      results: blocks
        .filter(({ type }) => type === "tool_result")
        .map(({ tool_use_id, content }) => ({ id: tool_use_id, text: content })),
    };
  },
};

export const responsesWire: Wire = {
  name: "openai",
  url: "https://api.openai.com/v1/responses",
  client: openai("gpt-test", { apiKey: KEY }),
  answer: (sketch) => sse(responsesEvents(sketch)),
  error: (message, { type = "server_error", code } = {}) => ({
    error: { message, type, code: code ?? null, param: null },
  }),
  usage: {
    input_tokens: 150,
    input_tokens_details: { cached_tokens: 20, cache_write_tokens: 30 },
    output_tokens: 40,
    output_tokens_details: { reasoning_tokens: 10 },
    total_tokens: 190,
  },
  echoed: (body) => itemsOf(body, "input").filter(({ type }) => type === "reasoning"),
  exchanged(body) {
    const items = itemsOf(body, "input");
    return {
      calls: items
        .filter(({ type }) => type === "function_call")
        .map(({ call_id, arguments: args }) => ({ id: call_id, args: JSON.parse(String(args)) })),
      results: items
        .filter(({ type }) => type === "function_call_output")
        .map(({ call_id, output }) => ({ id: call_id, text: output })),
    };
  },
};

export const chatWire: Wire = {
  name: "openrouter",
  url: "https://openrouter.test/api/v1/chat/completions",
  client: openaiCompatible({ name: "openrouter", baseURL: "https://openrouter.test/api/v1", apiKey: KEY })("qwen-test"),
  answer({ reasoning, text, calls, stop = "end", reason, usage = chatWire.usage }) {
    const stops = { end: "stop", tool: "tool_calls", length: "length", refusal: "stop", filter: "content_filter" };
    const message = {
      role: "assistant",
      content: text ?? null,
      refusal: stop === "refusal" ? (reason ?? "No.") : null,
      ...(reasoning && { reasoning_details: reasoning }),
      ...(calls && {
        tool_calls: calls.map(({ id, name, args }) => ({ id, type: "function", function: { name, arguments: args } })),
      }),
    };
    const choices = [{ index: 0, message, finish_reason: stops[stop] }];
    return HttpResponse.json({ id: "chatcmpl-1", object: "chat.completion", choices, usage });
  },
  error: (message, { type = "server_error", code } = {}) => ({ error: { message, type, code: code ?? null } }),
  usage: {
    prompt_tokens: 150,
    prompt_tokens_details: { cached_tokens: 20, cache_write_tokens: 30 },
    completion_tokens: 40,
    completion_tokens_details: { reasoning_tokens: 10 },
    total_tokens: 190,
  },
  echoed: (body) => itemsOf(body, "messages").flatMap(({ reasoning_details }) => reasoning_details ?? []),
  exchanged(body) {
    const messages = itemsOf(body, "messages");
    return {
      calls: messages
        .flatMap((message) => itemsOf(message, "tool_calls"))
        .map((call) => ({ id: call["id"], args: JSON.parse(String((call["function"] as JsonObject)["arguments"])) })),
      results: messages
        .filter(({ role }) => role === "tool")
        .map(({ tool_call_id, content }) => ({ id: tool_call_id, text: content })),
    };
  },
};

export const WIRES = [anthropicWire, responsesWire, chatWire];

function itemsOf(value: JsonObject, key: string): JsonObject[] {
  return Array.isArray(value[key]) ? (value[key] as JsonObject[]) : [];
}

/** Cut in two, so that every text has to be put together again. */
function halves(text: string): string[] {
  const middle = Math.floor(text.length / 2);
  return text === "" ? [] : [text.slice(0, middle), text.slice(middle)];
}
