import {
  type BlobId,
  type Fault,
  type LLMResponse,
  LLMResponseSchema,
  type ModelId,
  type Payload,
  type RunEvent,
  type Tokens,
  type ToolResult,
  ToolResultSchema,
  type Turn,
  turnsOf,
} from "@swarm/core";
import { freeId } from "./free-id.ts";

/** One request to a model in a conversation. */
export type ModelCall = {
  /** Place of its begin in the log. */
  at: number;
  model: ModelId;
  /** How many of the conversation's turns the request held. */
  given: number;
  answer: Pick<LLMResponse, "parts" | "stop"> | null;
  fault: Fault | null;
  tokens: Tokens | null;
  /** When it ended, in milliseconds since 1970, and how long it took; null where it never ended. */
  endedAt: number | null;
  ms: number | null;
  /** How long the tools took that its answer called. */
  toolMs: number;
};

/** What one role was told, answered and was given, in order. A thread that was shortened goes on as another conversation. */
export type Conversation = {
  role: string;
  /** Blob of the system prompt, the tools and the parameters. */
  settings: BlobId;
  /** The requests' turns, then the last answer, then the results of its tool calls as far as the log has them. */
  turns: Turn[];
  calls: ModelCall[];
};

type Begin = {
  event: RunEvent;
  key: string;
  call: Extract<Extract<Payload, { type: "begin" }>["call"], { op: "model" }>;
};
type End = Extract<Payload, { type: "end" }>;

/**
 * The conversations in the events of one attempt of a step, in the order in which they began. Another one begins where a
 * thread does not go on from its last request, and at the place `split`.
 */
export function conversationsOf(events: readonly RunEvent[], split = Number.POSITIVE_INFINITY): Conversation[] {
  const ends = new Map(
    events.flatMap(({ key, payload }) => (payload.type === "end" && key !== null ? [[payload.of, payload]] : [])),
  ) as Map<string, End>;
  const begun: Begin[][] = [];
  const open = new Map<string, Begin[]>();
  for (const event of events) {
    const { key, payload } = event;
    if (payload.type !== "begin" || payload.call.op !== "model" || key === null) continue;
    const { call } = payload;
    const before = open.get(call.thread);
    const last = before?.at(-1);
    const goesOn = last && call.keep === lengthOf(last) && last.event.tsIndex < split === event.tsIndex < split;
    if (before && goesOn) {
      before.push({ event, key, call });
      continue;
    }
    const first = [{ event, key, call }];
    begun.push(first);
    open.set(call.thread, first);
  }
  return begun.map((begins) => conversation(begins, events, ends));
}

function conversation(begins: readonly Begin[], events: readonly RunEvent[], ends: Map<string, End>): Conversation {
  const last = begins.at(-1)!;
  const calls = begins.map((begin, nth) => {
    const until = begins[nth + 1]?.event.tsIndex ?? Number.POSITIVE_INFINITY;
    return { ...modelCall(begin, ends.get(begin.key)), toolMs: toolMs(events, begin.event, until) };
  });
  const turns = turnsOf(events, last.event.stepId, last.key);
  const parts = uniqueIds(calls.at(-1)!.answer?.parts ?? []);
  if (parts.length > 0) turns.push({ role: "assistant", parts });
  const results = resultsAfter(last, parts, events, ends);
  if (results.length > 0) turns.push({ role: "user", parts: results });
  return { role: last.event.agent ?? last.call.thread, settings: last.call.settings, turns, calls };
}

function modelCall({ event, call }: Begin, end: End | undefined): Omit<ModelCall, "toolMs"> {
  const measured = end?.measured ?? {};
  const number = (name: string) => (typeof measured[name] === "number" ? measured[name] : null);
  return {
    at: event.tsIndex,
    model: call.model,
    given: lengthOf({ call }),
    answer: LLMResponseSchema.safeParse(end?.value).data ?? null,
    fault: end?.fault ?? null,
    tokens: end?.tokens ?? null,
    endedAt: number("at"),
    ms: number("ms"),
  };
}

function toolMs(events: readonly RunEvent[], { tsIndex, agent }: RunEvent, until: number): number {
  const own = events.filter((event) => event.kind === "tool" && event.agent === agent);
  const within = own.filter((event) => event.tsIndex > tsIndex && event.tsIndex < until);
  return within.reduce(
    (sum, { payload }) => sum + Number((payload.type === "end" && payload.measured?.["ms"]) || 0),
    0,
  );
}

/** Ids that an answer gives twice are told apart as they were when its calls were made. */
function uniqueIds(parts: Turn["parts"]): Turn["parts"] {
  const ids = new Set<string>();
  return parts.map((part) =>
    part.type === "tool" || part.type === "malformed" ? { ...part, id: freeId(part.id, ids) } : part,
  );
}

function lengthOf({ call }: Pick<Begin, "call">): number {
  return call.keep + call.add.length;
}

/** Results of the tool calls of an answer that no later request told of. */
function resultsAfter(
  { event }: Begin,
  parts: Turn["parts"],
  events: readonly RunEvent[],
  ends: Map<string, End>,
): ToolResult[] {
  const called = new Set(parts.flatMap((part) => (part.type === "tool" ? [part.id] : [])));
  return events.flatMap(({ tsIndex, key, agent, payload }): ToolResult[] => {
    if (payload.type !== "begin" || payload.call.op !== "tool" || key === null) return [];
    if (tsIndex < event.tsIndex || agent !== event.agent || !called.delete(payload.call.id)) return [];
    const { data } = ToolResultSchema.safeParse({
      type: "result",
      id: payload.call.id,
      ...(ends.get(key)?.value as object),
    });
    return data ? [data] : [];
  });
}
