import { strict as assert } from "node:assert";
import type { RunEvent } from "../contracts/event.ts";
import type { CallSite, LLMClient, LLMResponse } from "../contracts/model.ts";
import { CallError, ProviderError } from "../errors.ts";
import { createRedactor, redactJson } from "../redact.ts";
import { requestHash } from "./request-hash.ts";

export type RecordedOptions = {
  /**
   * `same`: a request has to be the recorded one, but for what masks hide, or it fails with `REQUEST_DIFFERS`, so that a prompt
   * that was changed is noticed. `any`: whatever is asked in the place of a call is given its answer. Default `same`.
   */
  requests?: "same" | "any";
  /** The secrets that the run was given: a request is compared as it was logged, without them. Default: none. */
  secrets?: readonly string[];
};

/** A model that answers from a log. It is without state but for what it was asked, so one may serve many roles. */
export interface RecordedClient extends LLMClient {
  /** Fails when an answer that the log holds of this model was never asked for. */
  assertComplete(): void;
}

/**
 * A client that answers as `model` did in the run of `events`: by step, attempt, role and number of the call, which also ends
 * with the fault that it ended with then. It makes no request and needs no key, so that a test of your own team, tools or
 * program runs offline against real answers:
 *
 * ```ts
 * const { events } = await fileLogStore("fixtures").read("good-run");
 * const model = recorded({ id: "anthropic:claude-sonnet-5-5" }, events);
 * const { verdict } = await runTask(task, { team: myTeam({ model }), store: memoryLogStore() });
 * model.assertComplete();
 * ```
 *
 * A call that the log does not have rejects with a {@link ProviderError} `MISSING_CALL`, one that asks something else with
 * `REQUEST_DIFFERS`; neither is retried. To compare a whole run with its log, and not only its requests, use `replayRun`.
 */
export function recorded(
  model: Pick<LLMClient, "id"> & Partial<Pick<LLMClient, "window" | "price">>,
  events: readonly RunEvent[],
  { requests = "same", secrets }: RecordedOptions = {},
): RecordedClient {
  const { id, window = null, price = null } = model;
  const redact = createRedactor(secrets);
  const calls = callsIn(events);
  const asked = new Set<string>();
  return {
    specificationVersion: "v1",
    id,
    window,
    price,
    async complete(request, { at }) {
      const call = calls.get(siteOf(at));
      if (!call || call.model !== id) {
        throw refused("MISSING_CALL", `the log has no answer of ${id} for ${inWords(at)}`);
      }
      if (requests === "same") requireSame(requestHash(redactJson(request, redact)) === call.sha256, at);
      asked.add(siteOf(at));
      return answerOf(call);
    },
    assertComplete() {
      const missed = [...calls].flatMap(([site, call]) => (call.model === id && !asked.has(site) ? [site] : []));
      assert.deepEqual(missed, [], `answers of ${id} that were never asked for`);
    },
  };
}

type RecordedCall = { model: string; sha256: string; end: (RunEvent["payload"] & { type: "end" }) | null };

/** The model calls of a log by their site: the calls of a role are counted in each attempt, whichever model was asked. */
function callsIn(events: readonly RunEvent[]): Map<string, RecordedCall> {
  const ends = new Map(
    events.flatMap(({ stepId, key, payload }) =>
      payload.type === "end" && key !== null ? [[`${stepId} ${payload.of}`, payload] as const] : [],
    ),
  );
  const calls = new Map<string, RecordedCall>();
  const counts = new Map<string, number>();
  for (const { stepId, key, agent, payload } of events) {
    if (key === null || payload.type !== "begin" || payload.call.op !== "model") continue;
    const attempt = Number(key.split(".")[0]);
    const role = `${stepId}|${agent}|${attempt}`;
    const nth = counts.get(role) ?? 0;
    counts.set(role, nth + 1);
    const { model, sha256 } = payload.call;
    const end = ends.get(`${stepId} ${key}`) ?? null;
    calls.set(siteOf({ stepId, attempt, role: agent ?? "", nth }), { model, sha256, end });
  }
  return calls;
}

function answerOf({ end, model }: RecordedCall): LLMResponse {
  if (end === null)
    throw refused("MISSING_CALL", `the call of ${model} never ended in the log: the run was cut off in it`);
  if (end.fault) throw new CallError(end.fault); // as it was, and not to be retried
  return structuredClone(end.value) as LLMResponse;
}

function requireSame(same: boolean, at: CallSite): void {
  if (same) return;
  const way = 'record the run anew if that is meant, or give `requests: "any"`';
  throw refused("REQUEST_DIFFERS", `${inWords(at)} asks something else than the log holds; ${way}`);
}

function refused(code: string, message: string): ProviderError {
  return new ProviderError(code, message, { retryable: false });
}

function siteOf({ stepId, role, attempt, nth }: CallSite): string {
  return `${stepId}|${role}|${attempt}.${nth}`;
}

function inWords({ stepId, role, attempt, nth }: CallSite): string {
  return `${stepId}, attempt ${attempt}, ${role}, call ${nth}`;
}
