import type { Executor } from "../contracts/executor.ts";
import { unverified, type Verdict } from "../contracts/verdict.ts";
import { abortReason, MergeConflictError, messageOf, RefusedError, SwarmError } from "../errors.ts";
import { bestState } from "../log/best-state.ts";
import { signatureOf } from "../log/signature.ts";
import type { CallGate } from "./call-gate.ts";
import { faultOfError } from "./fault-of-error.ts";
import { Lane, type RunParts } from "./lane.ts";

/** How long an abort waits for what is under way to put itself away. */
const ABORT_GRACE_MS = 700;

/**
 * Drives a team's workflow over a run's log until a verdict is in it. The same engine starts, resumes and replays: what
 * the log holds already is not done again. It never looks into a step; where steps run is its executor's affair.
 */
export class WorkflowEngine {
  readonly #executor: Executor;

  constructor(executor: Executor) {
    this.#executor = executor;
  }

  /** Resolves when the verdict is in the log. Rejects only when the log itself cannot be written. */
  async run(run: Omit<RunParts, "executor" | "watch">, signal: AbortSignal): Promise<void> {
    const { journal, site } = run;
    const misused = Promise.withResolvers<never>();
    misused.promise.catch(() => {});
    const gates: CallGate[] = [];
    const watch = (gate: CallGate) => {
      gates.push(gate);
      gate.misused.catch(misused.reject);
    };
    const over = new AbortController();
    const work = AbortSignal.any([signal, over.signal]);
    const start = { path: "run", snapshot: journal.header.base, suites: [], signal, work };
    const root = new Lane({ ...run, executor: this.#executor, watch }, start);
    try {
      await withGrace(signal, async () => {
        await root.prepare();
        const report = await Promise.race([site.team.workflow(root), misused.promise]);
        await stopLanes(over, gates);
        await root.conclude(report);
      });
    } catch (error) {
      await stopLanes(over, gates);
      await this.#endEarly(run, error, signal);
    }
  }

  /** The run ended before its work did. That is ambient: a run that is resumed goes on from where it was. */
  async #endEarly(
    { journal, site }: Omit<RunParts, "executor" | "watch">,
    error: unknown,
    signal: AbortSignal,
  ): Promise<void> {
    const cause = signal.aborted ? abortReason(signal) : error;
    const fault = faultOfError(cause);
    const best = bestState(journal.events);
    const verdict: Verdict = {
      ...unverified(outcomeOf(cause, signal), messageOf(cause)),
      ...(best ? { signals: { testsPassed: best.testsPassed, testsFailed: best.testsFailed } } : {}),
    };
    const event = { stepId: "run", key: null, agent: null };
    const signature = signatureOf(fault, site.team.name);
    await journal.append(
      [
        { ...event, kind: "failure", payload: { type: "fault", of: null, fault, signature } },
        { ...event, kind: "verdict", payload: { type: "verdict", verdict } },
      ],
      signal,
    );
  }
}

function outcomeOf(cause: unknown, signal: AbortSignal): "timeout" | "aborted" | "budget" | "failed" | "infra-error" {
  // the limit's own timer, or a call that was refused before it fired
  if (cause instanceof SwarmError && cause.code === "TIMEOUT" && (signal.aborted || cause instanceof RefusedError))
    return "timeout";
  if (signal.aborted) return "aborted";
  if (cause instanceof RefusedError && cause.code === "BUDGET") return "budget";
  if (cause instanceof MergeConflictError) return "failed"; // two branches of the work do not fit together
  return "infra-error";
}

/** Nothing of a workflow that has ended goes on: steps that it did not wait for are cut off, and put themselves away. */
async function stopLanes(over: AbortController, gates: readonly CallGate[]): Promise<void> {
  over.abort(new SwarmError("ABORTED", "the workflow has ended"));
  const { promise: graceOver, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ABORT_GRACE_MS);
  await Promise.race([Promise.all(gates.map((gate) => gate.idle())), graceOver]);
  clearTimeout(timer);
}

/** The work; once the signal aborts, the work has a short grace to end by itself before it is left behind. */
async function withGrace(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  const { promise: graceOver, reject } = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const onAbort = () => {
    timer = setTimeout(() => reject(abortReason(signal)), ABORT_GRACE_MS);
  };
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await Promise.race([work(), graceOver]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}
