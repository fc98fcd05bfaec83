import {
  CallError,
  headAndTail,
  InvalidInputError,
  type JsonObject,
  type LLMResponse,
  type RoleHandle,
  type Turn,
} from "@swarm/core";
import { slidingWindow } from "@swarm/memory";
import { compacted } from "./compaction.ts";
import { recollected } from "./recollect.ts";
import { readCalls, runCalls } from "./tool-calls.ts";
import { answered, say, textOf, textPart } from "./turns.ts";

/**
 * Why a loop ended.
 * - `finished`: the model answered in words, after its work; or it called the tool that ends the work, where there is one.
 * - `idle`: it answered in words and never used a tool, though it was told to.
 * - `unfinished`: it answered in words, though it was told to end by a tool.
 * - `calls-spent`: the last model call that was allowed did not finish the work.
 * - `looping`: it made the same call again after it was told that it goes in circles.
 * - `refused`: the model or its provider's filter refused to answer.
 */
export type AgentEnd = "finished" | "idle" | "unfinished" | "calls-spent" | "looping" | "refused";

export type AgentResult = {
  end: AgentEnd;
  /** The end in words, for a fault or a log. */
  reason: string;
  /** The words of the last answer; may be empty. */
  text: string;
  /** Whether the last answer reached the output limit. */
  cut: boolean;
  /** What the tool that ends the work was called with; null where it did not end so. */
  finish: JsonObject | null;
  /** Model calls that were made. */
  calls: number;
  /** The thread, every tool call with its result, so that it can be gone on with. */
  turns: Turn[];
};

export type AgentOptions = {
  /** Model calls, 1 to 10. Default 10. */
  maxCalls?: number;
  /** Whether an answer in words before any tool was used is no answer. It is told so once. Default true. */
  mustAct?: boolean;
  /**
   * Name of the role's tool that ends the work. It does where every call of its answer succeeded, and on the last call where it
   * is called alone. Words then end nothing, which is told once. Default: an answer in words ends the work.
   */
  finish?: string;
  /** A JSON schema that the answer in words has to follow. */
  output?: JsonObject;
  /** What the work is about: what a role that has a memory asks it before each call. Default: it asks nothing. */
  about?: string;
  /** Turns that a request keeps behind the first one, each an answer with what it was told in return. Default: all. */
  windowTurns?: number;
  /** Whether an equal request may be answered from the model's cache. Default false. */
  cacheable?: boolean;
};

const MOST_CALLS = 10;
/** The same calls this many times in a row are a loop. */
const LOOP = 3;

const USE_TOOLS = "You have not done anything yet. Do the work now with your tools; words alone change nothing.";
const EMPTY = "Your answer was empty. Go on with your work, or say in a few words how it ended.";
const CUT = "Your answer reached the output limit and was cut off. Give a shorter one.";
const LAST =
  "The next answer is your last, and tools that it calls will not run. End with your answer: what is done, and what is not.";
const NOT_FINISHED = "Your work is not ended: another call of the same answer failed. Read its result first.";
const IN_CIRCLES =
  "Not run: you made exactly this call several times in a row, and it will not end differently. Do something else, or end with your answer.";
const NO_CALL_LEFT = "Not run: no model call is left to read the result.";

/**
 * Lets a role work on a prompt until it answers in words or its calls are spent: ask, run the tools that the answer calls,
 * tell their results, ask again. A thread that outgrows the model's window is shortened, once an overflow. Rejects with what
 * the role's `ask` and `use` reject with, or an {@link InvalidInputError} for a `maxCalls` out of range. It depends on nothing but the role, so it does the same again over a log.
 */
export async function runAgent(
  role: RoleHandle,
  prompt: string | readonly Turn[],
  options: AgentOptions = {},
): Promise<AgentResult> {
  const { maxCalls = MOST_CALLS, mustAct = true } = options;
  if (!Number.isInteger(maxCalls) || maxCalls < 1 || maxCalls > MOST_CALLS) {
    throw new InvalidInputError("maxCalls", `${maxCalls} is not a whole number from 1 to ${MOST_CALLS}`);
  }
  const { finish, output, cacheable = false, about, windowTurns = Number.POSITIVE_INFINITY } = options;
  const request = { cacheable, ...(output === undefined ? {} : { output }) };
  let turns = typeof prompt === "string" ? say([], [textPart(prompt)]) : [...prompt];
  let acted = false;
  let nudged = false;
  let before = "";
  let repeats = 0;

  for (let made = 1; ; made++) {
    let answer: LLMResponse;
    let shown = slidingWindow(turns, windowTurns);
    if (about !== undefined) {
      turns = await recollected(role, turns, shown, about);
      shown = slidingWindow(turns, windowTurns);
    }
    try {
      answer = await role.ask({ turns: shown, ...request });
    } catch (error) {
      const shorter = error instanceof CallError && error.code === "CONTEXT_TOO_LONG" ? compacted(shown) : null;
      if (!shorter || made === maxCalls) throw error;
      turns = shorter;
      made++;
      answer = await role.ask({ turns, ...request }); // once an overflow: what does not fit now is the caller's to know
    }
    const text = textOf(answer.parts);
    const end = (why: AgentEnd, reason: string): AgentResult => ({
      end: why,
      reason,
      text,
      cut: answer.stop === "length",
      finish: null,
      calls: made,
      turns,
    });
    if (answer.stop === "refusal" || answer.stop === "filter") {
      const who = answer.stop === "refusal" ? "the model refused" : "the provider's content filter stopped the answer";
      return end("refused", text.trim() === "" ? who : `${who}: ${text}`);
    }

    const last = made === maxCalls;
    const notice = made + 1 === maxCalls ? [textPart(finish === undefined ? LAST : lastBut(finish))] : [];
    const { parts, calls } = readCalls(answer);
    turns = answered(turns, parts);

    if (calls.length > 0) {
      const now = calls.map((call) => call.signature).join();
      repeats = now === before ? repeats + 1 : 1;
      before = now;
      const spent = last && !calls.every(({ use }) => use.tool === finish);
      const results = await runCalls(role, calls, spent ? NO_CALL_LEFT : repeats >= LOOP ? IN_CIRCLES : null);
      const over = last || repeats > LOOP;
      const ending = calls.find(({ use }) => use.tool === finish);
      const failed = results.some((result) => result.type === "result" && !result.ok);
      const held = ending && failed && calls.length > 1 ? [textPart(NOT_FINISHED)] : [];
      turns = say(turns, [...results, ...(over ? [] : [...held, ...notice])]);
      if (ending && !failed) {
        return { ...end("finished", `the model ended its work by ${finish}`), finish: ending.use.args };
      }
      const ran = spent ? `${calls.length} tool calls were not run` : `${finish} was called wrongly`;
      if (last) return end("calls-spent", `${made} model calls are spent; ${ran}`);
      if (over) return end("looping", `the same call came ${repeats} times in a row: ${headAndTail(now, 300)}`);
      acted ||= calls.some((call) => call.problem === null);
      continue;
    }

    before = "";
    const cut = answer.stop === "length";
    const idle = mustAct && !acted;
    const empty = text.trim() === "";
    const further = finish === undefined ? (empty ? EMPTY : null) : endBy(finish);
    const objection = cut ? CUT : nudged ? null : idle && !empty ? USE_TOOLS : further;
    if (objection === null || last) {
      if (cut) return end("calls-spent", `${made} model calls are spent, and the last answer was cut off`);
      if (idle) return end("idle", "the model used none of its tools");
      if (finish !== undefined) return end("unfinished", `the model answered in words and did not call ${finish}`);
      return end("finished", "the model answered");
    }
    nudged ||= !cut;
    turns = say(turns, [textPart(objection), ...notice]);
  }
}

function lastBut(finish: string): string {
  return `The next answer is your last. Of your tools only ${finish} will still run, and only alone: call it, and say what is done and what is not.`;
}

function endBy(finish: string): string {
  return `Words do not end your work. Go on with it, or call ${finish} when it is done.`;
}
