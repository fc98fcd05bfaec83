import { JsonObjectSchema, type Schema } from "@swarm/core";
import { z } from "zod";

export type ChatToolCall = { id: string; type: "function"; function: { name: string; arguments: string } };
/** A message in the form that chat models are trained on; a tool's arguments are JSON text. */
export type ChatMessage =
  | { role: "system" | "user"; content: string }
  | { role: "assistant"; content: string | null; tool_calls?: ChatToolCall[] }
  | { role: "tool"; tool_call_id: string; content: string };
export type ChatTool = {
  type: "function";
  function: { name: string; description: string; parameters: z.infer<typeof JsonObjectSchema> };
};

const isJsonObject = (text: string) => {
  try {
    return JsonObjectSchema.safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
};

export const ChatToolCallSchema: Schema<ChatToolCall> = z.strictObject({
  id: z.string().min(1),
  type: z.literal("function"),
  function: z.strictObject({ name: z.string().min(1), arguments: z.string().refine(isJsonObject, "no JSON object") }),
});
const MessageSchema: Schema<ChatMessage> = z.discriminatedUnion("role", [
  z.strictObject({ role: z.enum(["system", "user"]), content: z.string() }),
  z.strictObject({
    role: z.literal("assistant"),
    content: z.string().nullable(),
    tool_calls: z.array(ChatToolCallSchema).min(1).exactOptional(),
  }),
  z.strictObject({ role: z.literal("tool"), tool_call_id: z.string(), content: z.string() }),
]);

/**
 * Messages of which every one is in its place: a system message stands first, each tool call has an id of its own and is
 * answered once, by the messages that follow it at once.
 */
export const ChatMessagesSchema: Schema<ChatMessage[]> = z.array(MessageSchema).check(({ value, issues }) => {
  const problem = orderProblem(value);
  if (problem) issues.push({ code: "custom", message: problem, input: value });
});

export const ChatToolSchema: Schema<ChatTool> = z.strictObject({
  type: z.literal("function"),
  function: z.strictObject({ name: z.string(), description: z.string(), parameters: JsonObjectSchema }),
});

function orderProblem(messages: readonly ChatMessage[]): string | null {
  const ids = new Set<string>();
  const open = new Set<string>();
  for (const [index, message] of messages.entries()) {
    if (message.role === "system" && index > 0) return `message ${index} is a system message`;
    if (message.role === "tool") {
      if (!open.delete(message.tool_call_id)) return `message ${index} answers no open call`;
      continue;
    }
    if (open.size > 0) return `message ${index} comes before the calls before it are answered`;
    if (message.role !== "assistant") continue;
    if (message.content === null && !message.tool_calls) return `message ${index} is empty`;
    for (const { id } of message.tool_calls ?? []) {
      if (ids.has(id)) return `message ${index} uses the id ${id} again`;
      ids.add(id);
      open.add(id);
    }
  }
  return open.size > 0 ? "the last calls are not answered" : null;
}
