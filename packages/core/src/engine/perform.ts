import type { Done } from "../contracts/done.ts";
import type { Site, StepHost } from "../contracts/executor.ts";
import { type Fault, faultOf } from "../contracts/fault.ts";
import type { Json } from "../contracts/json.ts";
import type { AttemptContext, StepProgram } from "../contracts/program.ts";
import type { AttemptOrder, AttemptResult } from "../contracts/step.ts";
import { CallError, ContextError, RefusedError } from "../errors.ts";
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
    const known = site.team.programs.map(({ name }) => name).join(", ");
    throw new ContextError(
      "UNKNOWN_PROGRAM",
      `team ${site.team.name} has no program ${step.program}; it has: ${known}`,
    );
  }
  const held = await host.claim(step.stepId);
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(timedOut(step.timeoutMs)), step.timeoutMs);
  const signal = AbortSignal.any([host.signal, deadline.signal]);
  const recorder = new Recorder(order, site, host, held, signal);
  const tests = new AttemptTests(site, step.suites, step.stepId);
  try {
    const context = attemptContext({ order, site, host, recorder, tests, epoch: held.epoch, signal });
    return await attempt(program, order, host, recorder, context);
  } finally {
    clearTimeout(timer);
    await Promise.allSettled([recorder.dispose(), tests.dispose()]);
  }
}

function timedOut(limitMs: number): CallError {
  return new CallError(
    faultOf({ code: TIMED_OUT, message: `the attempt took longer than ${limitMs} ms`, retryable: true }),
  );
}

async function attempt(
  program: StepProgram<Json, Json>,
  { step, attempt, hint }: AttemptOrder,
  host: StepHost,
  recorder: Recorder,
  context: AttemptContext<Json>,
): Promise<AttemptResult> {
  await recorder.emit("checkpoint", null, { type: "attempt", snapshot: recorder.snapshot, hint });
  const done = await run(program, step.input, host, recorder, context);
  if (done.ok) return { ...done, snapshot: recorder.snapshot, hint: null };

  const { fault } = done;
  const { snapshot } = recorder; // of the failed files: a diagnosis must not add to them
  await recorder.emit("failure", null, { type: "fault", of: null, fault, signature: signatureOf(fault, program.name) });
  const last = !fault.retryable || attempt >= step.maxRetries;
  const advice = last ? null : await diagnose(program, fault, step.input, recorder, context);
  return { ...done, snapshot, hint: advice };
}

async function run(
  program: StepProgram<Json, Json>,
  input: Json,
  host: StepHost,
  recorder: Recorder,
  context: AttemptContext<Json>,
): Promise<Done<Json>> {
  try {
    const done = await program.attempt(context, program.input.parse(input));
    if (recorder.closedBy) throw recorder.closedBy;
    return done.ok ? { ok: true, output: toJson(program.output.parse(done.output)) } : done;
  } catch (error) {
    const cause = recorder.closedBy ?? error;
    if (cause instanceof RefusedError || host.signal.aborted) throw cause;
    return { ok: false, fault: faultOfError(cause) };
  }
}

async function diagnose(
  program: StepProgram<Json, Json>,
  fault: Fault,
  input: Json,
  recorder: Recorder,
  context: AttemptContext<Json>,
): Promise<string | null> {
  if (!program.diagnose) return null;
  try {
    const hint = await program.diagnose(context, fault, program.input.parse(input));
    await recorder.emit("recovery", null, { type: "recovered", how: "hint", detail: hint });
    return hint;
  } catch (error) {
    const cause = recorder.closedBy ?? error;
    if (!(cause instanceof CallError)) throw cause;
    return null; // the fault of the call is in the log; the next attempt has to do without a hint
  }
}
