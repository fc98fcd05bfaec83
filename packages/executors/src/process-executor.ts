import {
  type AttemptOrder,
  type AttemptResult,
  abortReason,
  type Executor,
  type GuardPolicy,
  recover,
  type Step,
  type StepHost,
  type StepResult,
  SwarmError,
  type TeamRef,
  untilAborted,
} from "@swarm/core";
import { memoriesOf, recallAt } from "./memories.ts";
import { errorData, errorOf, type FromWorker, type Reply, type ToWorker } from "./protocol.ts";
import { signedBy } from "./signed-by.ts";
import { WorkerProcess } from "./worker-process.ts";

export type ProcessExecutorOptions = {
  /**
   * URL of an ES module that exports `makeTeam(ref: TeamRef, step: Step | null): Team`: how a worker comes to its team, and its keys.
   * `step` is the one that is to be performed; null where a run asks before it begins whether there is such a team.
   */
  module: string | URL;
  /** The workers' whole environment besides PATH, HOME, LANG and TMPDIR. Default: nothing. */
  env?: Record<string, string>;
  /** Node's flags for the workers. Default: those of this process. */
  execArgv?: readonly string[];
  /** Retry and breakers of each attempt. Default: {@link GUARD_DEFAULTS}, in part or in whole. */
  guard?: Partial<GuardPolicy>;
  /** A worker that says nothing for so long is lost: fenced, killed and replaced. Default 10,000. */
  leaseMs?: number;
  /** How often one attempt is delivered before it is given up. Default 5. */
  maxDeliveries?: number;
  /** Told of each worker's process id as it is given an attempt. */
  onWorker?(pid: number, order: AttemptOrder): void;
};

/** How long a worker may take to put its attempt away after an abort before it is killed. */
const ABORT_GRACE_MS = 400;
const INHERITED = ["PATH", "HOME", "LANG", "TMPDIR"];

/**
 * Runs each attempt in a worker process that is given the step's JSON and the module that makes teams, and nothing else. A
 * worker that dies or stops is fenced and its attempt delivered again, which is not another attempt. One whose attempt went well is
 * given the next one. The worker's team must open the same object store as the run's sandbox. Workers that rest end by themselves in
 * seconds, or when the executor is closed.
 */
export class ProcessExecutor implements Executor, AsyncDisposable {
  readonly specificationVersion = "v1";
  readonly #options: Required<Omit<ProcessExecutorOptions, "module">> & { module: string };
  #resting: WorkerProcess[] = [];

  constructor({ module, ...options }: ProcessExecutorOptions) {
    const defaults = {
      env: {},
      execArgv: process.execArgv,
      guard: {},
      leaseMs: 10_000,
      maxDeliveries: 5,
      onWorker: () => {},
    };
    this.#options = { ...defaults, ...options, module: String(module) };
  }

  /** Makes the team once in a worker, so that a module that cannot is known before the run begins. */
  async preflight(team: TeamRef, { signal }: { signal: AbortSignal }): Promise<void> {
    const { module } = this.#options;
    const checked = await this.#converse({ type: "check", module, team }, { signal, onPid() {} });
    if (checked !== null && "lost" in checked) {
      throw new SwarmError(
        "WORKER_LOST",
        `a worker that loads ${module} does not come to its team: it ${checked.lost}`,
      );
    }
  }

  runStep(step: Step, host: StepHost): Promise<StepResult> {
    return recover(step, async (order) => {
      for (let delivery = 1; ; delivery++) {
        const delivered = await this.#deliver(order, host);
        if (delivered !== null && !("lost" in delivered)) return delivered;
        const lost = delivered?.lost ?? "gave no result";
        if (delivery === this.#options.maxDeliveries) {
          throw new SwarmError(
            "WORKER_LOST",
            `${step.stepId} was delivered ${delivery} times, and each worker was lost; the last ${lost}`,
          );
        }
        await this.#noteRedelivery(order, host, { delivery, lost });
      }
    });
  }

  async close(): Promise<void> {
    for (const worker of this.#resting.splice(0)) worker.kill();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #deliver(order: AttemptOrder, host: StepHost): Promise<AttemptResult | null | { lost: string }> {
    const { module, guard, onWorker } = this.#options;
    const memories = await memoriesOf(host);
    return await this.#converse(
      { type: "perform", module, order, guard, secrets: host.secrets, memories },
      { signal: host.signal, host, onPid: (pid) => onWorker(pid, order) },
    );
  }

  /** All that one worker says of one thing that it is given to do. */
  async #converse(
    first: ToWorker,
    { signal, host, onPid }: { signal: AbortSignal; host?: StepHost; onPid(pid: number): void },
  ): Promise<AttemptResult | null | { lost: string }> {
    if (signal.aborted) throw abortReason(signal);
    const { promise: ended, resolve, reject } = Promise.withResolvers<AttemptResult | null | { lost: string }>();
    const worker = this.#worker();
    const onMessage = (message: FromWorker) => {
      if (message.type === "done") resolve(message.result);
      else if (message.type === "failed" && message.error.code === "WORKER_GONE")
        resolve({ lost: message.error.message });
      else if (message.type === "failed") reject(errorOf(message.error));
      else if (message.type !== "beat") void reply(worker, message, host);
    };
    worker.begin(first, { onMessage, onLost: (lost) => resolve({ lost }) });
    if (worker.pid !== undefined) onPid(worker.pid);
    let wentWell = false;
    try {
      const result = await untilAborted(signal, () => ended);
      wentWell = result === null || ("ok" in result && result.ok);
      return result;
    } catch (error) {
      if (signal.aborted) await putAway(worker, ended, signal);
      throw error;
    } finally {
      this.#putBack(worker, wentWell);
    }
  }

  #worker(): WorkerProcess {
    this.#resting = this.#resting.filter(({ isLost }) => !isLost);
    return this.#resting.pop() ?? new WorkerProcess({ ...this.#options, env: this.#environment() });
  }

  /** What a program that failed may still be up to ends with its process. */
  #putBack(worker: WorkerProcess, wentWell: boolean): void {
    if (wentWell) {
      worker.rest();
      this.#resting.push(worker);
    } else worker.kill();
  }

  #environment(): Record<string, string> {
    const inherited = INHERITED.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
    return { ...Object.fromEntries(inherited), ...this.#options.env };
  }

  /** Claiming the step fences the lost worker, should it still live. */
  async #noteRedelivery(
    { step, attempt }: AttemptOrder,
    host: StepHost,
    detail: { delivery: number; lost: string },
  ): Promise<void> {
    const { epoch } = await host.claim(step.stepId);
    const payload = { type: "recovered", how: "redelivered", detail: { attempt, ...detail } } as const;
    await host.append(epoch, [{ stepId: step.stepId, key: null, kind: "recovery", agent: null, payload }]);
  }
}

type Asked = Extract<FromWorker, { id: number }>;

async function reply(worker: WorkerProcess, message: Asked, host: StepHost | undefined): Promise<void> {
  const { id } = message;
  try {
    if (!host) throw new SwarmError("WORKER_FAILED", "a check has no log");
    worker.send({ type: "reply", id, value: await answerTo(message, host, worker) });
  } catch (error) {
    worker.send({ type: "reply", id, error: errorData(error) });
  }
}

async function answerTo(message: Asked, host: StepHost, worker: WorkerProcess): Promise<Reply> {
  if (message.type === "claim") return await host.claim(message.stepId);
  if (message.type === "recall") return await recallAt(host, message.ask);
  await host.append(message.epoch, signedBy(String(worker.pid), message.events));
  return null;
}

/** Lets the worker end its attempt in good order: its processes stopped, its last events written. */
async function putAway(worker: WorkerProcess, ended: Promise<unknown>, signal: AbortSignal): Promise<void> {
  worker.send({ type: "abort", error: errorData(abortReason(signal)) });
  const { promise: graceOver, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ABORT_GRACE_MS);
  await Promise.race([Promise.allSettled([ended]), graceOver]);
  clearTimeout(timer);
}
