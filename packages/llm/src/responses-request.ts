import type { LLMRequest, Part, ToolSpec, Turn } from "@swarm/core";
import type { OpenAI } from "openai";
import { isPhase, type Phase } from "./responses-phase.ts";
import { isStrictSchema } from "./strict-schema.ts";
import { sendable } from "./thread.ts";

type Body = OpenAI.Responses.ResponseCreateParamsStreaming;
type Item = OpenAI.Responses.ResponseInputItem;

/** A request in the form of the Responses API, which is to remember nothing: the thread is ours. */
export function responsesRequest(model: string, request: LLMRequest): Body {
  const { system, effort, output, temperature } = request;
  return {
    model,
    max_output_tokens: request.maxTokens,
    stream: true,
    store: false,
    input: sendable(request.turns, "openai").flatMap(items),
    ...(system !== "" && { instructions: system }),
    ...(request.tools.length > 0 && { tools: request.tools.map(tool) }),
    // Effort is for reasoning models, and others refuse to be asked for their encrypted reasoning.
    ...(effort && { reasoning: { effort }, include: ["reasoning.encrypted_content"] }),
    ...(output && {
      text: { format: { type: "json_schema", name: "answer", schema: output, strict: isStrictSchema(output) } },
    }),
    ...(temperature !== undefined && { temperature }),
  };
}

function items({ role, parts }: Turn): Item[] {
  let phase: Phase | undefined;
  return parts.flatMap((part) => {
    if (part.type === "reasoning" && isPhase(part.data)) {
      phase = part.data;
      return [];
    }
    const item = itemOf(role, part, phase);
    if (part.type === "text") phase = undefined;
    return [item];
  });
}

function itemOf(role: Turn["role"], part: Part, phase: Phase | undefined): Item {
  switch (part.type) {
    case "text":
      return { role, content: part.text, ...(phase && { phase: phase.phase }) };
    case "reasoning":
      return part.data as unknown as Item;
    case "tool":
      return { type: "function_call", call_id: part.id, name: part.tool, arguments: JSON.stringify(part.args) };
    case "malformed":
      return { type: "function_call", call_id: part.id, name: part.tool, arguments: "{}" };
    case "result":
      // The API has no flag for a failure.
      return {
        type: "function_call_output",
        call_id: part.id,
        output: part.ok ? part.output : `Error: ${part.output}`,
      };
  }
}

/** Not strict: strict mode refuses optional parameters, and a tool checks its input itself. */
function tool({ name, description, input }: ToolSpec): OpenAI.Responses.FunctionTool {
  return { type: "function", name, description, parameters: input, strict: false };
}
