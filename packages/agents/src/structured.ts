import { type Done, faultOf, headAndTail, type Json, type JsonObject, type RoleHandle, type Schema } from "@swarm/core";
import { z } from "zod";
import { type AgentResult, runAgent } from "./agent-loop.ts";
import { jsonIn } from "./json-in-text.ts";
import { say, textPart } from "./turns.ts";

export type AskOptions = {
  /** Model calls in all, so that a role with tools can look around before it answers. 1 to 10, default 10. */
  maxCalls?: number;
  /** How often the model is told what was wrong with its answer and asked again, one model call each. Default 2. */
  maxReasks?: number;
  /** As for {@link runAgent}. */
  about?: string;
  windowTurns?: number;
  /** Whether an equal request may be answered from the model's cache. Default false. */
  cacheable?: boolean;
};

/**
 * Asks a role for a value that `schema` accepts. The answer may be JSON alone, in a fenced block, or amid prose as long as
 * only one value in it fits. Fails with the code `NO_VALID_OUTPUT` (another attempt can help) when no answer fitted, and with
 * `MODEL_REFUSED` (none can) when the model refused. Rejects only with what the role's calls reject with.
 */
export async function askFor<T extends Json>(
  role: RoleHandle,
  schema: Schema<T>,
  prompt: string,
  options: AskOptions = {},
): Promise<Done<T>> {
  const { maxCalls = 10, maxReasks = 2, cacheable = false, ...manner } = options;
  const loop = { ...manner, mustAct: false, cacheable, output: z.toJSONSchema(schema) as JsonObject };
  const mostReasks = Math.min(maxReasks, maxCalls - 1);
  let result = await runAgent(role, prompt, { ...loop, maxCalls: maxCalls - mostReasks });
  for (let reasks = 0; ; reasks++) {
    if (result.end === "refused") return { ok: false, fault: refusal(result) };
    const answer = read(result, schema);
    if (answer.ok) return { ok: true, output: answer.value };
    if (reasks === mostReasks) {
      return { ok: false, fault: faultOf({ code: "NO_VALID_OUTPUT", message: answer.problem, retryable: true }) };
    }
    const shorter = result.cut ? ", shorter" : "";
    const turns = say(result.turns, [
      textPart(`${answer.problem}\nAnswer again${shorter}, with the JSON value alone.`),
    ]);
    result = await runAgent(role, turns, { ...loop, cacheable: cacheable && !result.cut, maxCalls: 1 });
  }
}

/** A refusal as a fault: the same request would be refused again. */
export function refusal(result: Pick<AgentResult, "reason">) {
  return faultOf({ code: "MODEL_REFUSED", message: headAndTail(result.reason, 1_000) });
}

type Reading<T> = { ok: true; value: T } | { ok: false; problem: string };

function read<T extends Json>(result: AgentResult, schema: Schema<T>): Reading<T> {
  if (result.end !== "finished") return { ok: false, problem: `There was no answer: ${result.reason}.` };
  const candidates = jsonIn(result.text);
  const checked = candidates.map((candidate) => schema.safeParse(candidate));
  const fitting = new Map(
    checked.flatMap((check) => (check.success ? [[JSON.stringify(check.data), check.data]] : [])),
  );
  const [value] = fitting.values();
  if (value !== undefined && fitting.size === 1) return { ok: true, value };
  if (fitting.size > 1) return { ok: false, problem: `${fitting.size} different values in your answer fit; give one.` };
  const [error] = checked.flatMap((check) => (check.success ? [] : [check.error]));
  if (error === undefined) return { ok: false, problem: "There is no complete JSON value in your answer." };
  return { ok: false, problem: `Your answer does not fit the schema:\n${headAndTail(z.prettifyError(error), 2_000)}` };
}
