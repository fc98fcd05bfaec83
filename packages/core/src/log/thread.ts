import type { LoggedTurn, RunEvent } from "../contracts/event.ts";
import type { Turn } from "../contracts/model.ts";
import { ToolResultSchema, TurnSchema } from "../contracts/model.ts";
import { SwarmError } from "../errors.ts";

export type Delta = { keep: number; add: LoggedTurn[] };

/**
 * The turns of one conversation, told as deltas: what the last request held already is not told again, and a turn that was
 * made of logged calls (an answer, the results of tool calls) is told by their keys. So logs grow linearly.
 */
export class Thread {
  #last: string[] = [];

  /** The next delta tells the whole thread: what the log holds of it is not what was asked. */
  forget(): void {
    this.#last = [];
  }

  /** The delta from the last request of this thread to `turns`. */
  next(turns: readonly Turn[], sources: TurnSources): Delta {
    const texts = turns.map((turn) => JSON.stringify(turn));
    let keep = 0;
    while (keep < texts.length && texts[keep] === this.#last[keep]) keep++;
    this.#last = texts;
    const add = turns.slice(keep).map((turn, index): LoggedTurn => sources.reference(texts[keep + index]!) ?? turn);
    return { keep, add };
  }
}

/** Which turns of an attempt came from which of its calls. */
export class TurnSources {
  readonly #keys = new Map<string, LoggedTurn>();

  /** `begins` are the keys of the calls whose values the turn consists of. */
  note(turn: Turn, begins: string[]): void {
    this.#keys.set(JSON.stringify(turn), { role: turn.role, from: begins });
  }

  reference(text: string): LoggedTurn | undefined {
    return this.#keys.get(text);
  }
}

/** The turns of a model request, made again from the events of its step. */
export function turnsOf(events: readonly RunEvent[], stepId: string, key: string): Turn[] {
  const attempt = key.split(".")[0];
  const own = events.filter((event) => event.stepId === stepId && event.key?.split(".")[0] === attempt);
  const threads = new Map<string, Turn[]>();
  for (const event of own) {
    if (event.payload.type !== "begin" || event.payload.call.op !== "model") continue;
    const { thread, keep, add } = event.payload.call;
    const turns = [...(threads.get(thread) ?? []).slice(0, keep), ...add.map((turn) => resolve(turn, own))];
    if (event.key === key) return turns;
    threads.set(thread, turns);
  }
  throw new SwarmError("NOT_FOUND", `step ${stepId} has no model request with key ${key}`);
}

function resolve(turn: LoggedTurn, events: readonly RunEvent[]): Turn {
  if ("parts" in turn) return turn;
  const parts = turn.from.flatMap((begin): Turn["parts"] => {
    const call = events.find((event) => event.key === begin)?.payload;
    const end = events.find((event) => event.payload.type === "end" && event.payload.of === begin)?.payload;
    if (call?.type !== "begin" || end?.type !== "end")
      throw new SwarmError("NOT_FOUND", `the log has no call ${begin}`);
    if (call.call.op !== "tool")
      return TurnSchema.parse({ role: turn.role, parts: (end.value as { parts: unknown }).parts }).parts;
    const { ok, output } = end.value as { ok: unknown; output: unknown }; // what a call loaded, the model is not told
    return [ToolResultSchema.parse({ type: "result", id: call.call.id, ok, output })];
  });
  return { role: turn.role, parts };
}
