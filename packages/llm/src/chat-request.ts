import type { LLMRequest, Part, ToolSpec, Turn } from "@swarm/core";
import type { OpenAI } from "openai";
import type { ChatReasoning } from "./chat-reasoning.ts";
import { isStrictSchema } from "./strict-schema.ts";
import { sendable } from "./thread.ts";

type Body = OpenAI.Chat.ChatCompletionCreateParamsNonStreaming;
type Message = OpenAI.Chat.ChatCompletionMessageParam;
type Call = OpenAI.Chat.ChatCompletionMessageFunctionToolCall;

/** A request in the form of Chat Completions, with no field that a server may not know unless the request asks for it. */
export function chatRequest(provider: string, model: string, request: LLMRequest): Body {
  const { system, effort, output, temperature } = request;
  const turns = sendable(request.turns, provider).flatMap(messages);
  return {
    model,
    // Deprecated by OpenAI, but what every other server knows.
    max_tokens: request.maxTokens,
    messages: system === "" ? turns : [{ role: "system", content: system }, ...turns],
    ...(request.tools.length > 0 && { tools: request.tools.map(tool) }),
    ...(effort && { reasoning_effort: effort }),
    ...(output && {
      response_format: {
        type: "json_schema",
        json_schema: { name: "answer", schema: output, strict: isStrictSchema(output) },
      },
    }),
    ...(temperature !== undefined && { temperature }),
  };
}

function messages({ role, parts }: Turn): Message[] {
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  if (role === "assistant") return [assistantMessage(text, parts)];
  const results = parts.flatMap((part): Message[] =>
    part.type === "result"
      ? // The API has no flag for a failure.
        [{ role: "tool", tool_call_id: part.id, content: part.ok ? part.output : `Error: ${part.output}` }]
      : [],
  );
  return text === "" ? results : [...results, { role: "user", content: text }];
}

function assistantMessage(text: string, parts: Part[]): Message {
  const reasoning = parts.flatMap((part) => (part.type === "reasoning" ? [part.data as unknown as ChatReasoning] : []));
  const calls = parts.flatMap((part): Call[] => {
    if (part.type !== "tool" && part.type !== "malformed") return [];
    const args = part.type === "tool" ? JSON.stringify(part.args) : "{}";
    const extra = reasoning.find(({ calls }) => part.id in calls)?.calls[part.id];
    const call: Call = { id: part.id, type: "function", function: { name: part.tool, arguments: args } };
    return [extra === undefined ? call : Object.assign(call, { extra_content: extra })];
  });
  return {
    role: "assistant",
    content: text === "" && calls.length > 0 ? null : text,
    ...(calls.length > 0 && { tool_calls: calls }),
    ...Object.assign({}, ...reasoning.map(({ message }) => message)),
  };
}

function tool({ name, description, input }: ToolSpec): OpenAI.Chat.ChatCompletionFunctionTool {
  return { type: "function", function: { name, description, parameters: input } };
}
