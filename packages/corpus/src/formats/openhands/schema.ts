import { type JsonObject, JsonObjectSchema, type Schema } from "@swarm/core";
import { z } from "zod";

// The rules are those of the events of the OpenHands SDK, and of the rows of its benchmarks, as far as this exporter writes them.

export type TextContent = { type: "text"; text: string };
type Base = { id: string; timestamp: string; parent_id: string };
export type OpenHandsEvent = Base &
  (
    | {
        kind: "SystemPromptEvent";
        source: "agent";
        system_prompt: TextContent;
        tools: JsonObject[];
        dynamic_context: null;
      }
    | {
        kind: "MessageEvent";
        source: "agent" | "user";
        llm_message: { role: "user" | "assistant"; content: TextContent[] };
        llm_response_id: string | null;
        activated_skills: string[];
        extended_content: TextContent[];
        sender: string | null;
      }
    | {
        kind: "ActionEvent";
        source: "agent";
        thought: TextContent[];
        reasoning_content: null;
        thinking_blocks: [];
        action: JsonObject | null;
        tool_name: string;
        tool_call_id: string;
        tool_call: { id: string; name: string; arguments: string; origin: "completion" };
        llm_response_id: string;
        security_risk: "UNKNOWN";
      }
    | {
        kind: "ObservationEvent";
        source: "environment";
        tool_name: string;
        tool_call_id: string;
        observation: { kind: string; content: TextContent[]; is_error: boolean };
        action_id: string;
      }
  );
export type OpenHandsRow = {
  instance_id: string;
  attempt: number;
  test_result: { git_patch: string | null };
  instruction: string;
  metadata: JsonObject;
  history: OpenHandsEvent[];
  metrics: JsonObject;
  error: string | null;
  instance: JsonObject;
  runtime_runs: null;
};

/** The parent of an event that begins a conversation. */
export const ROOT = "__root__";

const text = z.string();
const TextSchema: Schema<TextContent> = z.strictObject({ type: z.literal("text"), text });
const base = {
  id: text.regex(/^[0-9a-fA-F-]{8,}$/),
  timestamp: z.iso.datetime(),
  parent_id: text.min(1),
};
const EventSchema: Schema<OpenHandsEvent> = z.discriminatedUnion("kind", [
  z.strictObject({
    ...base,
    kind: z.literal("SystemPromptEvent"),
    source: z.literal("agent"),
    system_prompt: TextSchema,
    tools: z.array(JsonObjectSchema),
    dynamic_context: z.null(),
  }),
  z.strictObject({
    ...base,
    kind: z.literal("MessageEvent"),
    source: z.enum(["agent", "user"]),
    llm_message: z.strictObject({ role: z.enum(["user", "assistant"]), content: z.array(TextSchema) }),
    llm_response_id: text.nullable(),
    activated_skills: z.array(text),
    extended_content: z.array(TextSchema),
    sender: text.nullable(),
  }),
  z.strictObject({
    ...base,
    kind: z.literal("ActionEvent"),
    source: z.literal("agent"),
    thought: z.array(TextSchema),
    reasoning_content: z.null(),
    thinking_blocks: z.tuple([]),
    action: JsonObjectSchema.nullable(),
    tool_name: text,
    tool_call_id: text.min(1),
    tool_call: z.strictObject({ id: text, name: text, arguments: text, origin: z.literal("completion") }),
    llm_response_id: text,
    security_risk: z.literal("UNKNOWN"),
  }),
  z.strictObject({
    ...base,
    kind: z.literal("ObservationEvent"),
    source: z.literal("environment"),
    tool_name: text,
    tool_call_id: text.min(1),
    observation: z.strictObject({ kind: text, content: z.array(TextSchema), is_error: z.boolean() }),
    action_id: text,
  }),
]);

export const OpenHandsSchema: Schema<OpenHandsRow> = z.strictObject({
  instance_id: text.min(1),
  attempt: z.int().positive(),
  test_result: z.strictObject({ git_patch: text.nullable() }),
  instruction: text,
  metadata: JsonObjectSchema,
  history: z.array(EventSchema).check(({ value, issues }) => {
    for (const message of historyProblems(value)) issues.push({ code: "custom", message, input: value });
  }),
  metrics: JsonObjectSchema,
  error: text.nullable(),
  instance: JsonObjectSchema,
  runtime_runs: z.null(),
});

function* historyProblems(events: readonly OpenHandsEvent[]): Generator<string> {
  const seen = new Map<string, OpenHandsEvent>();
  const responses = new Set<string>();
  for (const [index, event] of events.entries()) {
    if (seen.has(event.id)) yield `event ${index} has the id of another`;
    if (event.parent_id !== ROOT && !seen.has(event.parent_id)) yield `the parent of event ${index} is not before it`;
    if (event.kind === "ActionEvent") {
      if (responses.has(event.llm_response_id) && event.thought.length > 0)
        yield `event ${index} has a thought, and is not the first of its answer`;
      responses.add(event.llm_response_id);
    }
    if (event.kind === "ObservationEvent") {
      const action = seen.get(event.action_id);
      if (action?.kind !== "ActionEvent" || action.tool_call_id !== event.tool_call_id)
        yield `event ${index} observes no action before it`;
    }
    seen.set(event.id, event);
  }
}
