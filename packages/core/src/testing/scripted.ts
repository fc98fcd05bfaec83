import { strict as assert } from "node:assert";
import type { JsonObject } from "../contracts/json.ts";
import type { CallSite, LLMClient, LLMRequest, LLMResponse, Part, Price, Tokens } from "../contracts/model.ts";
import { abortReason, SwarmError } from "../errors.ts";

export type ScriptedCall = { tool: string; args: JsonObject };
/** A text that ends the loop, tool calls to make (ids are given out), or a whole response. */
export type Answer = string | ScriptedCall[] | LLMResponse;
/**
 * Answers by call: `<stepId>|<role>|<attempt>.<nth>`, each part literal or `*`, such as `run/implement|coder|0.0` or
 * `run/implement|coder|*.*`. A literal key wins over one with `*`, and among those the first. Or a function of the call.
 */
export type Script = Record<string, Answer> | ((at: CallSite, request: LLMRequest) => Answer);

export type ScriptedOptions = { price?: Price | null; window?: number | null; tokens?: Tokens };

/** A model that answers from a script: without state, so that it gives the same answers in any process. */
export interface ScriptedClient extends LLMClient {
  /** Every request that this client was given, in the order of their arrival. */
  readonly requests: readonly { at: CallSite; request: LLMRequest }[];
  /** Fails when an answer of the script was never asked for. Answers with `*` are optional. */
  assertComplete(): void;
}

const TOKENS: Tokens = { input: 100, output: 20, reasoning: 0, cacheRead: 0, cacheWrite: 0 };

export function scripted(id: string, script: Script, options: ScriptedOptions = {}): ScriptedClient {
  const requests: { at: CallSite; request: LLMRequest }[] = [];
  const used = new Set<string>();

  function answerTo(at: CallSite, request: LLMRequest): Answer {
    if (typeof script === "function") return script(at, request);
    const name = `${at.stepId}|${at.role}|${at.attempt}.${at.nth}`;
    const key = name in script ? name : Object.keys(script).find((pattern) => matches(pattern, name));
    const answer = key === undefined ? undefined : script[key];
    if (key === undefined || answer === undefined) {
      throw new SwarmError("SCRIPT_EXHAUSTED", `the script of ${id} has no answer for ${name}`);
    }
    used.add(key);
    return answer;
  }

  return {
    specificationVersion: "v1",
    id,
    window: options.window ?? null,
    price: options.price ?? null,
    requests,
    async complete(request, { signal, at }) {
      if (signal.aborted) throw abortReason(signal);
      requests.push({ at, request });
      return responseOf(answerTo(at, request), options.tokens ?? TOKENS);
    },
    assertComplete() {
      const missed =
        typeof script === "function" ? [] : Object.keys(script).filter((k) => !k.includes("*") && !used.has(k));
      assert.deepEqual(missed, [], `answers of ${id} that were never asked for`);
    },
  };
}

function matches(pattern: string, name: string): boolean {
  const split = (text: string) => text.split(/[|]|\.(?=[^.|]*$)/);
  const parts = split(pattern);
  const given = split(name);
  return parts.length === given.length && parts.every((part, index) => part === "*" || part === given[index]);
}

function responseOf(answer: Answer, tokens: Tokens): LLMResponse {
  if (typeof answer === "string") return { parts: [{ type: "text", text: answer }], stop: "end", tokens };
  if (!Array.isArray(answer)) return answer;
  const parts: Part[] = answer.map(({ tool, args }, index) => ({ type: "tool", id: `call_${index}`, tool, args }));
  return { parts, stop: "tool", tokens };
}
