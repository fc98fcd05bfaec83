import { z } from "zod";
import type { Done } from "../contracts/done.ts";
import type { Site, StepHost } from "../contracts/executor.ts";
import { type Fault, FaultSchema, faultOf } from "../contracts/fault.ts";
import type { Json } from "../contracts/json.ts";
import type { AttemptContext, StepProgram } from "../contracts/program.ts";
import type { AttemptOrder, AttemptResult } from "../contracts/step.ts";
import { abortReason, CallError, ContextError, RefusedError } from "../errors.ts";
import { toJson } from "../json-value.ts";
import { signatureOf } from "../log/signature.ts";
import { attemptContext } from "./attempt-context.ts";
import { AttemptTests } from "./attempt-tests.ts";
import { faultOfError } from "./fault-of-error.ts";
import { Recorder, TIMED_OUT } from "./recorder.ts";

/**
 * Performs one attempt of a step, wherever it runs, and alone writes its events. Deterministic over its log: an attempt
 * that is delivered again goes on where the log ends. Rejects with a {@link RefusedError} when the attempt was fenced,
 * aborted or over budget; whatever the program does is a result.
 */
export async function perform(order: AttemptOrder, site: Site, host: StepHost): Promise<AttemptResult> {
  const { step } = order;
  const program = site.team.programs.find(({ name }) => name === step.program);
  if (!program) {
    const known = site.team.programs.map(({ name }) => name).join(", ") || "none";
    throw new ContextError(
      "UNKNOWN_PROGRAM",
      `team ${site.team.name} has no program ${step.program}; it has: ${known}`,
    );
  }
  const held = await host.claim(step.stepId);
  const deadline = deadlineOf(step.timeoutMs);
  const signal = AbortSignal.any([host.signal, deadline.signal]);
  const recorder = new Recorder(order, site, host, held, signal);
  const tests = new AttemptTests(site, step.suites, step.stepId);
  const leftBehind = afterAbort(signal);
  const stopped = Promise.race([recorder.gate.misused, leftBehind.promise]);
  stopped.catch(() => {});
  try {
    const context = attemptContext({ order, site, host, recorder, tests, epoch: held.epoch, signal });
    return await attempt({ program, order, host, recorder, context, stopped });
  } finally {
    recorder.gate.end();
    leftBehind.cancel();
    deadline.cancel();
    await Promise.allSettled([recorder.dispose(), tests.dispose()]);
  }
}

/** A timer cannot be set for longer: what is allowed more has no limit. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

function deadlineOf(limitMs: number): { signal: AbortSignal; cancel(): void } {
  const deadline = new AbortController();
  const message = `the attempt took longer than ${limitMs} ms`;
  const fault = faultOf({ code: TIMED_OUT, message, retryable: true });
  const timer =
    limitMs > LONGEST_TIMER_MS ? undefined : setTimeout(() => deadline.abort(new CallError(fault)), limitMs);
  return { signal: deadline.signal, cancel: () => clearTimeout(timer) };
}

/** How long a program may take to end after its signal aborted before it is left behind. */
const ABORT_GRACE_MS = 100;

function afterAbort(signal: AbortSignal): { promise: Promise<never>; cancel(): void } {
  const { promise, reject } = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const onAbort = () => {
    timer = setTimeout(() => reject(abortReason(signal)), ABORT_GRACE_MS);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  return {
    promise,
    cancel() {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    },
  };
}

type Attempt = {
  program: StepProgram<Json, Json>;
  order: AttemptOrder;
  host: StepHost;
  recorder: Recorder;
  context: AttemptContext<Json>;
  /** Rejects when the program has to be left behind. */
  stopped: Promise<never>;
};

async function attempt(attempt: Attempt): Promise<AttemptResult> {
  const { program, order, recorder } = attempt;
  await recorder.emit("checkpoint", null, { type: "attempt", snapshot: recorder.snapshot, hint: order.hint });
  const done = await run(attempt);
  if (done.ok) return { ...done, snapshot: recorder.snapshot, hint: null };

  const { fault } = done;
  const { snapshot } = recorder; // of the failed files: a diagnosis must not add to them
  await emitFault(attempt, fault);
  const last = !fault.retryable || order.attempt >= order.step.maxRetries;
  const hint = last || !program.diagnose ? null : await diagnose(attempt, fault);
  return { ...done, snapshot, hint };
}

function emitFault({ program, recorder }: Attempt, fault: Fault): Promise<void> {
  return recorder.emit("failure", null, {
    type: "fault",
    of: null,
    fault,
    signature: signatureOf(fault, program.name),
  });
}

async function run({ program, order, host, recorder, context, stopped }: Attempt): Promise<Done<Json>> {
  try {
    const input = program.input.parse(order.step.input);
    const done: unknown = await Promise.race([program.attempt(context, input), stopped]);
    await Promise.race([recorder.gate.settled(), stopped]);
    if (recorder.gate.closedBy) throw recorder.gate.closedBy;
    return checkedResult(done, program);
  } catch (error) {
    return { ok: false, fault: faultOfError(endOf(error, host, recorder)) };
  }
}

/** What a program gave back, as it has to be. */
function checkedResult(result: unknown, program: StepProgram<Json, Json>): Done<Json> {
  const { ok, output, fault } = (result ?? {}) as { ok?: unknown; output?: unknown; fault?: unknown };
  if (ok === true) {
    const checked = program.output.safeParse(output);
    if (checked.success) return { ok: true, output: toJson(checked.data) };
    throw new ContextError(
      "BAD_RESULT",
      `${program.name} gave another output than it says: ${z.prettifyError(checked.error)}`,
    );
  }
  const known = FaultSchema.safeParse(toJson(fault));
  if (ok === false && known.success) return { ok: false, fault: known.data };
  throw new ContextError(
    "BAD_RESULT",
    `${program.name} has to return context.done(output) or context.fail(faultOf({ … }))`,
  );
}

/** The hint for the next attempt. A diagnosis that fails leaves the next attempt without one, and its fault in the log. */
async function diagnose(attempt: Attempt, fault: Fault): Promise<string | null> {
  const { program, order, host, recorder, context, stopped } = attempt;
  try {
    const input = program.input.parse(order.step.input);
    const hint: unknown = await Promise.race([program.diagnose?.(context, fault, input), stopped]);
    await Promise.race([recorder.gate.settled(), stopped]);
    if (typeof hint !== "string")
      throw new ContextError("BAD_RESULT", `diagnose of ${program.name} has to return a text`);
    await recorder.emit("recovery", null, { type: "recovered", how: "hint", detail: hint });
    return hint;
  } catch (error) {
    await emitFault(attempt, faultOfError(endOf(error, host, recorder)));
    return null;
  }
}

/** What ended a program, as the fault that it is. Throws what is not its own: a refusal, or the run's abort. */
function endOf(error: unknown, host: StepHost, recorder: Recorder): unknown {
  const cause = recorder.gate.closedBy ?? error;
  if (cause instanceof RefusedError || host.signal.aborted) throw cause;
  return cause;
}
