import type Anthropic from "@anthropic-ai/sdk";
import { transformJSONSchema } from "@anthropic-ai/sdk/lib/transform-json-schema";
import type { LLMRequest, Part, ToolSpec } from "@swarm/core";
import { sendable } from "./thread.ts";

const CACHED = { type: "ephemeral" } as const;

/** A request in the form of the Messages API. `thinking` is the API's own, sent as it is. */
export function anthropicRequest(
  model: string,
  request: LLMRequest,
  thinking?: Anthropic.ThinkingConfigParam,
): Anthropic.MessageCreateParamsStreaming {
  const { system, effort, output, temperature } = request;
  return {
    model,
    max_tokens: request.maxTokens,
    stream: true,
    messages: sendable(request.turns, "anthropic")
      .map(({ role, parts }) => ({ role, content: parts.flatMap(block) }))
      .filter(({ content }) => content.length > 0),
    // A mark says that what stands up to it may be had from the cache, at a tenth. Roles share tools, and their calls the system prompt.
    ...(system !== "" && { system: [{ type: "text" as const, text: system, cache_control: CACHED }] }),
    // Who is given tools is asked again and again with the same beginning of a thread: the API's own mark moves along with it.
    ...(request.tools.length > 0 && { tools: toolsOf(request.tools), cache_control: CACHED }),
    ...((effort ?? output) && {
      output_config: { ...(effort && { effort }), ...(output && { format: format(output) }) },
    }),
    ...(thinking && { thinking }),
    // The API refuses it since its version 2026-10-21. To leave it out would hide that what the caller set has no effect.
    ...(temperature !== undefined && { temperature }),
  };
}

function block(part: Part): Anthropic.ContentBlockParam[] {
  switch (part.type) {
    case "text":
      // The API refuses a text block that is blank.
      return part.text.trim() === "" ? [] : [{ type: "text", text: part.text }];
    case "reasoning":
      return [part.data as unknown as Anthropic.ContentBlockParam];
    case "tool":
      return [{ type: "tool_use", id: wireId(part.id), name: part.tool, input: part.args }];
    case "malformed":
      return [{ type: "tool_use", id: wireId(part.id), name: part.tool, input: {} }];
    case "result":
      return [
        {
          type: "tool_result",
          tool_use_id: wireId(part.id),
          // The API refuses an error without content.
          content: part.output === "" && !part.ok ? "failed without output" : part.output,
          is_error: !part.ok,
        },
      ];
  }
}

/** A thread that another provider began can hold ids in characters that this API refuses. */
function wireId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, "_");
}

function toolsOf(specs: readonly ToolSpec[]): Anthropic.Tool[] {
  return specs.map(tool).map((one, index, all) => (index === all.length - 1 ? { ...one, cache_control: CACHED } : one));
}

function tool({ name, description, input }: ToolSpec): Anthropic.Tool {
  return { name, description, input_schema: input as Anthropic.Tool.InputSchema };
}

/** The SDK knows which keywords the API refuses, and turns them into descriptions. */
function format(schema: NonNullable<LLMRequest["output"]>): Anthropic.JSONOutputFormat {
  return { type: "json_schema", schema: transformJSONSchema(schema) };
}
