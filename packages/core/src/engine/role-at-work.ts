import { z } from "zod";
import { type Recollection, RecollectionSchema } from "../contracts/memory.ts";
import {
  type LLMClient,
  type LLMRequest,
  type LLMResponse,
  LLMResponseSchema,
  NO_TOKENS,
  type Tokens,
  type ToolUse,
  type Turn,
} from "../contracts/model.ts";
import type { AskRequest, RoleHandle } from "../contracts/program.ts";
import type { RoleVariant } from "../contracts/step.ts";
import type { Role } from "../contracts/team.ts";
import type { ToolOutput } from "../contracts/tool.ts";
import { CallError, ProviderError } from "../errors.ts";
import { canonicalJson, toJson } from "../json-value.ts";
import { isPerhapsBilled } from "../log/ledger.ts";
import { Thread } from "../log/thread.ts";
import { type Redact, redactJson } from "../redact.ts";
import { toolSpec } from "../tool-spec.ts";
import type { AttemptParts } from "./attempt-parts.ts";
import { AdvisedTurns } from "./pending-advice.ts";
import type { Ended, PendingCall } from "./recorder.ts";
import { requestHash } from "./request-hash.ts";
import { toolCall } from "./tool-call.ts";

type ToolValue = Pick<ToolOutput, "ok" | "output" | "loaded">;

export const DEFAULT_MAX_TOKENS = 8192;
const DEFAULT_TOP_K = 3;

/** A role in one attempt: its calls go through the guard and into the log. */
export class RoleAtWork implements RoleHandle {
  readonly #name: string;
  readonly #role: Role;
  readonly #around: AttemptParts;
  readonly #thread = new Thread();
  readonly #advised = new AdvisedTurns();
  #asked = 0;

  constructor(name: string, role: Role, around: AttemptParts) {
    this.#name = name;
    this.#role = role;
    this.#around = around;
  }

  ask(request: AskRequest): Promise<LLMResponse> {
    return this.#around.recorder.gate.run(async () => {
      const [first, ...fallbacks] = this.#models();
      let ended = await this.#askModel(first, request);
      for (const model of fallbacks) {
        if (ended.fault?.code !== "CIRCUIT_OPEN") break;
        const payload = { type: "recovered", how: "fallback", detail: model.id } as const;
        await this.#around.recorder.emit("recovery", this.#name, payload);
        ended = await this.#askModel(model, request);
      }
      if (ended.fault) throw new CallError(ended.fault);
      const response = ended.value as LLMResponse;
      this.#around.sources.note({ role: "assistant", parts: response.parts }, [ended.begin]);
      return response;
    });
  }

  use(calls: readonly ToolUse[]): Promise<Turn> {
    return this.#around.recorder.gate.run(async () => {
      const ended = await this.#around.recorder.calls(
        "tool",
        this.#name,
        calls.map((call) => toolCall(call, this.#role, this.#around)),
      );
      const broken = ended.find(({ value, fault }) => fault && value === null)?.fault;
      if (broken) throw new CallError(broken);
      const parts = ended.map(({ value }, index) => {
        const { ok, output, loaded } = value as ToolValue;
        if (loaded) this.#around.executions.push({ ok, loaded });
        return { type: "result", id: calls[index]!.id, ok, output } as const;
      });
      const turn: Turn = { role: "user", parts };
      this.#around.sources.note(
        turn,
        ended.map(({ begin }) => begin),
      );
      return turn;
    });
  }

  recall(question: string): Promise<Recollection[]> {
    return this.#around.recorder.gate.run(async () => {
      const { memory } = this.#role;
      if (!memory) return [];
      const { recorder, site, notice } = this.#around;
      const { store, topK: limit = DEFAULT_TOP_K } = memory;
      const asked = site.redact(question);
      const call: PendingCall = {
        call: { op: "other", name: "memory" },
        effect: "none",
        async run(signal) {
          const run = (signal: AbortSignal) => store.recall(asked, { limit, signal });
          const found = await site.guard.call({ dependency: "memory", signal, idempotent: true, run, notice });
          return { value: recollections(found).slice(0, limit) };
        },
      };
      const [ended] = await recorder.calls("agent", this.#name, [call]);
      return ended!.fault ? [] : (ended!.value as Recollection[]);
    });
  }

  get #variant(): RoleVariant {
    return this.#around.order.step.variant?.roles?.[this.#name] ?? {};
  }

  /** The variant's model first where it names one, then the role's own in their order. */
  #models(): [LLMClient, ...LLMClient[]] {
    const wanted = this.#variant.model;
    const chosen = this.#role.models.find((model) => model.id === wanted) ?? this.#role.models[0];
    return [chosen, ...this.#role.models.filter((model) => model !== chosen)];
  }

  async #askModel(model: LLMClient, asked: AskRequest): Promise<Ended> {
    const { order, site, recorder, sources, advice, notice } = this.#around;
    const advised = this.#advised.of(asked.turns, advice.take(recorder.next));
    const request = redactJson(this.#request(model, { ...asked, turns: advised }), site.redact);
    const { turns, model: _, ...settings } = request;
    const hash = requestHash(request);
    const before = recorder.recordedCall(recorder.next);
    const at = { stepId: order.step.stepId, attempt: order.attempt, role: this.#name, nth: this.#asked++ };
    const call: PendingCall = {
      call: {
        op: "model",
        model: model.id,
        thread: this.#name,
        ...this.#thread.next(turns, sources),
        settings: await site.sandbox.blobs.put(canonicalJson(settings)),
        sha256: hash,
      },
      effect: "none",
      reserve: reserveOf(request),
      run: async (signal) => {
        refuseOverflow(request, model);
        const dependency = `llm:${this.#name}:${model.id}`;
        const found = request.cacheable ? await model.cached?.(request) : undefined;
        const about = { model: model.id, role: this.#name };
        if (found) notice({ event: `cache_${found.state}`, ...about });
        if (found?.state === "hit" && site.guard.isOpen(dependency))
          notice({ event: "degraded_fallback_cached", ...about });
        if (found?.state === "hit") {
          return {
            value: checked(found.response, model, site.redact),
            tokens: NO_TOKENS,
            measured: { attempts: 0, cached: true },
          };
        }
        let attempts = 0;
        let unpaid = false;
        const response = await site.guard.call({
          dependency,
          signal,
          idempotent: true,
          run: async (signal) => {
            if (unpaid) await recorder.again("agent", this.#name, call);
            attempts++;
            try {
              return await model.complete(request, { signal, at });
            } catch (error) {
              unpaid = error instanceof ProviderError && isPerhapsBilled(error.code);
              throw error;
            }
          },
          notice,
        });
        return { value: checked(response, model, site.redact), tokens: response.tokens, measured: { attempts } };
      },
    };
    const [ended] = await recorder.calls("agent", this.#name, [call]);
    if (before?.op === "model" && before.sha256 !== hash) this.#thread.forget();
    return ended!;
  }

  #request(model: LLMClient, { turns, output, maxTokens, cacheable = false }: AskRequest): LLMRequest {
    const role = this.#role;
    const { effort = role.effort, temperature = role.temperature } = this.#variant;
    const provider = model.id.split(":")[0]!;
    return {
      model: model.id,
      system: role.system,
      turns: turns.map((turn) => ({
        ...turn,
        parts: turn.parts.filter((part) => part.type !== "reasoning" || part.provider === provider),
      })),
      tools: role.tools.map(toolSpec),
      ...(output ? { output } : {}),
      ...(effort ? { effort } : {}),
      ...(temperature === undefined ? {} : { temperature }),
      maxTokens: maxTokens ?? role.maxTokens ?? DEFAULT_MAX_TOKENS,
      cacheable,
    };
  }
}

/** An upper estimate of what a request can cost: three characters a token, and all the output that it allows. */
function reserveOf(request: LLMRequest): Tokens {
  const input = Math.ceil(JSON.stringify([request.system, request.turns, request.tools]).length / 3);
  return { input, output: request.maxTokens, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
}

/** A prompt that cannot fit is known before it is sent: four characters a token, and room for the answer. */
function refuseOverflow(request: LLMRequest, { id, window }: LLMClient): void {
  if (window === null) return;
  const prompt = Math.ceil(JSON.stringify([request.system, request.turns, request.tools]).length / 4);
  if (prompt + request.maxTokens <= window) return;
  const message = `about ${prompt} tokens of prompt and ${request.maxTokens} of answer do not fit the window of ${id}, ${window}`;
  throw new ProviderError("CONTEXT_TOO_LONG", message, { retryable: false });
}

/** What a memory gave back, checked. */
function recollections(found: unknown): Recollection[] {
  const { data, error } = RecollectionSchema.array().safeParse(toJson(found));
  if (data) return data;
  const problem = `the memory gave back what are no recollections: ${z.prettifyError(error)}`;
  throw new ProviderError("BAD_RESPONSE", problem, { retryable: false });
}

/** What a client answered, checked; a reasoning block is only good byte for byte, so one with a secret in it is left out. */
function checked(response: LLMResponse, model: LLMClient, redact: Redact): LLMResponse {
  const { data, error } = LLMResponseSchema.safeParse(toJson(response));
  if (!data) {
    const problem = `${model.id} answered what is no response: ${z.prettifyError(error)}`;
    throw new ProviderError("BAD_RESPONSE", problem, { retryable: false });
  }
  const whole = (text: string) => redact(text) === text;
  return { ...data, parts: data.parts.filter((part) => part.type !== "reasoning" || whole(JSON.stringify(part.data))) };
}
