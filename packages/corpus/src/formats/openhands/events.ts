import { asJson, type Part, sha256, type Turn } from "@swarm/core";
import { chatTools, textOf } from "../../chat/messages-of.ts";
import type { Said } from "../../run/said.ts";
import type { Settings } from "../../run/settings.ts";
import { type OpenHandsEvent, ROOT, type TextContent } from "./schema.ts";

type Place = { runId: string; startedAt: string | null; from: number };
type Draft = OpenHandsEvent extends infer E ? (E extends unknown ? Omit<E, keyof Added> : never) : never;
type Added = { id: string; timestamp: string; parent_id: string };
type Add = (draft: Draft) => OpenHandsEvent;

/** A conversation as events, a chain that begins at the root. `from` is how many events the run has before it. */
export function eventsOf({ turns, calls, role }: Said, settings: Settings, place: Place): OpenHandsEvent[] {
  const { runId, startedAt, from } = place;
  const events: OpenHandsEvent[] = [];
  let timestamp = startedAt ?? new Date(0).toISOString();
  const add: Add = (draft) => {
    const added: Added = {
      id: idOf(`${runId} ${from + events.length}`),
      timestamp,
      parent_id: events.at(-1)?.id ?? ROOT,
    };
    const event = { ...added, ...draft } as OpenHandsEvent;
    events.push(event);
    return event;
  };
  add({
    kind: "SystemPromptEvent",
    source: "agent",
    system_prompt: words(settings.system),
    tools: asJson(chatTools(settings.tools)),
    dynamic_context: null,
  });
  let actions = new Map<string, OpenHandsEvent>();
  for (const [index, turn] of turns.entries()) {
    if (turn.role === "user") {
      for (const part of turn.parts) observe(part, actions, add);
      const text = textOf(turn.parts);
      if (text !== "") add(message("user", text, null, null));
      continue;
    }
    const call = calls.find(({ given, answer }) => given === index && answer !== null);
    if (call?.endedAt) timestamp = new Date(call.endedAt).toISOString();
    actions = act(turn, `${runId}-${call?.at ?? `${from}-${index}`}`, role, add);
  }
  return events;
}

/** An action for each call of an answer, of which the first has its words; an answer without calls is a message. */
function act({ parts }: Turn, response: string, role: string, add: Add): Map<string, OpenHandsEvent> {
  const text = textOf(parts);
  const calls = parts.filter((part) => part.type === "tool" || part.type === "malformed");
  if (calls.length === 0 && text !== "") add(message("agent", text, response, role));
  return new Map(
    calls.map((part, nth) => [
      part.id,
      add({
        kind: "ActionEvent",
        source: "agent",
        thought: nth === 0 && text !== "" ? [words(text)] : [],
        reasoning_content: null,
        thinking_blocks: [],
        action: part.type === "tool" ? { ...part.args, kind: `${part.tool}Action` } : null,
        tool_name: part.tool,
        tool_call_id: part.id,
        tool_call: {
          id: part.id,
          name: part.tool,
          arguments: part.type === "tool" ? JSON.stringify(part.args) : part.text,
          origin: "completion",
        },
        llm_response_id: response,
        security_risk: "UNKNOWN",
      }),
    ]),
  );
}

function observe(part: Part, actions: Map<string, OpenHandsEvent>, add: Add): void {
  const action = part.type === "result" ? actions.get(part.id) : undefined;
  if (part.type !== "result" || action?.kind !== "ActionEvent") return;
  add({
    kind: "ObservationEvent",
    source: "environment",
    tool_name: action.tool_name,
    tool_call_id: part.id,
    observation: { kind: `${action.tool_name}Observation`, content: [words(part.output)], is_error: !part.ok },
    action_id: action.id,
  });
}

function message(source: "agent" | "user", text: string, response: string | null, sender: string | null): Draft {
  return {
    kind: "MessageEvent",
    source,
    llm_message: { role: source === "agent" ? "assistant" : "user", content: [words(text)] },
    llm_response_id: response,
    activated_skills: [],
    extended_content: [],
    sender,
  };
}

function words(text: string): TextContent {
  return { type: "text", text };
}

/** The same for the same event of the same run, in the form of a UUID. */
function idOf(name: string): string {
  return sha256(name).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
}
