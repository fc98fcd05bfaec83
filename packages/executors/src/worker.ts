import {
  type Recollection,
  type Step,
  type StepHost,
  SwarmError,
  type Team,
  type TeamRef,
  untilAborted,
} from "@swarm/core";
import { requireRoom } from "./full-disk.ts";
import { Guards } from "./guards.ts";
import { type RecallAsk, withMemories } from "./memories.ts";
import { ownSecrets, performHere } from "./perform-here.ts";
import { type ErrorData, errorData, errorOf, type FromWorker, type Reply, type ToWorker } from "./protocol.ts";

type MakeTeam = (ref: TeamRef, step: Step | null) => Team | Promise<Team>;

/**
 * The worker's own program. It is given a step as JSON and the module that makes teams by name, and nothing else: it holds
 * no log, no budget and no hidden test. What it appends goes to the executor's host.
 */
const BEAT_MS = 1_000;

let abort = new AbortController();
const guards = new Guards(); // for as long as the process lives
const waiting = new Map<number, { resolve(value: Reply): void; reject(error: Error): void }>();
let calls = 0;

process.on("message", (message: ToWorker) => {
  if (message.type === "reply") answer(message.id, message.value ?? null, message.error);
  else if (message.type === "abort") abort.abort(errorOf(message.error));
  else void work(message);
});
process.once("disconnect", () => {
  abort.abort(new SwarmError("ABORTED", "the executor is gone"));
  setTimeout(() => process.exit(1), BEAT_MS).unref();
});

/** One thing at a time: the next one comes when this one was done. */
async function work(message: Extract<ToWorker, { type: "check" | "perform" }>): Promise<void> {
  abort = new AbortController();
  const beats = setInterval(() => tell({ type: "beat" }), BEAT_MS);
  try {
    const ref = message.type === "check" ? message.team : message.order.step.team;
    const team = await makeTeam(message.module, ref, message.type === "check" ? null : message.order.step);
    const result = message.type === "check" ? null : await performOrder(message, team);
    tell({ type: "done", result });
  } catch (error) {
    tell({ type: "failed", error: errorData(error) });
  } finally {
    clearInterval(beats);
  }
}

async function makeTeam(module: string, ref: TeamRef, step: Step | null): Promise<Team> {
  const exports = (await import(module)) as { makeTeam?: MakeTeam };
  if (typeof exports.makeTeam !== "function")
    throw new SwarmError("TEAM_MODULE", `${module} exports no function makeTeam(ref, step)`);
  const team = await exports.makeTeam(ref, step);
  if (team.name === ref.name && team.version === ref.version) return team;
  throw new SwarmError(
    "TEAM_MISMATCH",
    `${module} makes ${team.name} ${team.version}; the step is for ${ref.name} ${ref.version}`,
  );
}

function performOrder({ order, secrets, guard: policy, memories }: Extract<ToWorker, { type: "perform" }>, team: Team) {
  requireRoom();
  const leave = (reason: SwarmError) => abort.abort(reason);
  return performHere(order, withMemories(team, memories, recall), hostWith(secrets), {
    guard: guards.of(policy),
    secrets: ownSecrets(),
    leave,
  });
}

async function recall(ask: RecallAsk, signal: AbortSignal): Promise<Recollection[]> {
  return (await untilAborted(signal, () => call((id) => ({ type: "recall", id, ask })))) as Recollection[];
}

const hostWith = (secrets: readonly string[]): StepHost => ({
  secrets,
  signal: abort.signal,
  async claim(stepId) {
    const claim = await call((id) => ({ type: "claim", id, stepId }));
    if (claim === null || Array.isArray(claim))
      throw new SwarmError("WORKER_FAILED", "the executor answered a claim without an epoch");
    return claim;
  },
  async append(epoch, events) {
    await call((id) => ({ type: "append", id, epoch, events }));
  },
  async site() {
    throw new SwarmError("WORKER_FAILED", "a worker has its own site");
  },
});

function call(message: (id: number) => FromWorker): Promise<Reply> {
  const id = calls++;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    tell(message(id));
  });
}

function answer(id: number, value: Reply, error: ErrorData | undefined): void {
  const call = waiting.get(id);
  waiting.delete(id);
  if (error) call?.reject(errorOf(error));
  else call?.resolve(value);
}

function tell(message: FromWorker): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {}); // an executor that is gone is known by its disconnect
}
