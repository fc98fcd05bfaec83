import type { Part, ToolSpec, Turn } from "@swarm/core";
import { freeId } from "../run/free-id.ts";
import type { ChatMessage, ChatTool, ChatToolCall } from "./message.ts";

type Call = Extract<Part, { type: "tool" | "malformed" }>;

/**
 * Turns as chat messages. Reasoning blocks are opaque and left out. Ids of calls that providers give out again and again are
 * made unique. An answer whose calls have no results stands without them, and where nothing of it is left it is not there.
 */
export function messagesOf(turns: readonly Turn[], system: string | null = null): ChatMessage[] {
  const ids = new Set<string>();
  const messages: ChatMessage[] = system === null ? [] : [{ role: "system", content: system }];
  let open = new Map<string, string>();
  for (const [index, { role, parts }] of turns.entries()) {
    if (role === "assistant") {
      const answered = idsOf(turns[index + 1]);
      const calls = parts.filter((part): part is Call => part.type === "tool" || part.type === "malformed");
      const asked = calls.filter(({ id }) => answered.has(id));
      open = callIds(asked, ids);
      const text = textOf(parts);
      if (text === "" && asked.length === 0) continue;
      messages.push({
        role,
        content: text === "" ? null : text,
        ...(asked.length === 0 ? {} : { tool_calls: toolCallsOf(asked, open) }),
      });
      continue;
    }
    for (const part of parts) {
      const id = part.type === "result" ? open.get(part.id) : undefined;
      if (part.type !== "result" || id === undefined) continue;
      open.delete(part.id);
      messages.push({ role: "tool", tool_call_id: id, content: part.output });
    }
    const text = textOf(parts);
    if (text !== "") messages.push({ role, content: text });
  }
  return messages;
}

/** Tools as chat models are told of them. */
export function chatTools(tools: readonly ToolSpec[]): ChatTool[] {
  return tools.map(({ name, description, input }) => ({
    type: "function",
    function: { name, description, parameters: input },
  }));
}

export function textOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
}

/** Ids for the calls of an answer that no other answer has, by their own. */
export function callIds(parts: readonly Part[], taken: Set<string>): Map<string, string> {
  const calls = parts.filter((part) => part.type === "tool" || part.type === "malformed");
  return new Map(calls.map(({ id }) => [id, freeId(id || "call", taken)]));
}

/** Calls as chat models make them. What could not be read is no example of a call, and stands without arguments. */
export function toolCallsOf(calls: readonly Call[], ids: ReadonlyMap<string, string>): ChatToolCall[] {
  return calls.map((call) => ({
    id: ids.get(call.id) ?? call.id,
    type: "function",
    function: { name: call.tool || "unnamed", arguments: JSON.stringify(call.type === "tool" ? call.args : {}) },
  }));
}

function idsOf(turn: Turn | undefined): Set<string> {
  return new Set((turn?.parts ?? []).flatMap((part) => (part.type === "result" ? [part.id] : [])));
}
