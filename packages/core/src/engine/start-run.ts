import { randomBytes } from "node:crypto";
import { z } from "zod";
import { untilAborted } from "../abort.ts";
import { checkInput } from "../check-input.ts";
import type { Budget } from "../contracts/budget.ts";
import { type EventKind, LOG_SCHEMA, type LogHeader, type RunEvent } from "../contracts/event.ts";
import type { Schema } from "../contracts/json.ts";
import type { HeldDirectory } from "../contracts/sandbox.ts";
import { type Task, TaskSchema, viewOf } from "../contracts/task.ts";
import type { Trajectory } from "../contracts/trajectory.ts";
import { InvalidInputError, SwarmError } from "../errors.ts";
import { canonicalJson } from "../json-value.ts";
import { redactJson } from "../redact.ts";
import { taskOf } from "../task-of.ts";
import { drive } from "./drive.ts";
import { EventStream, type RunListener } from "./event-stream.ts";
import { type Launch, modelsOf, type Ports, type RunOptions, resolvePorts } from "./run-options.ts";
import { withDirectory } from "./with-directory.ts";
import { withoutSecrets } from "./without-secrets.ts";

/** A run under way. Iterating it gives every event from the first, then live ones, and ends with the run. */
export interface Run extends AsyncIterable<RunEvent> {
  readonly runId: string;
  /** Calls back for each event of a kind, or for every `event`. Returns the function that stops it. */
  on(kind: EventKind | "event", listener: RunListener): () => void;
  /** Ends the run within a second: no call begins, those under way are cut off, and the verdict is `aborted`. */
  abort(reason?: string): void;
  /**
   * Resolves for a run that ended in any way. Rejects only for what the caller did wrong before it began: an invalid task, a
   * missing key, a log that is there already, a busy workspace; then nothing was called and nothing is left behind. And with `LOG_WRITE_FAILED`
   * when the log cannot be written any more, such as on a full disk: what was acknowledged is kept, and the run can be resumed.
   */
  readonly result: Promise<Trajectory>;
}

/** Starts a run of `task` by a team. A requirement in words is the task that {@link taskOf} makes of it. */
export function startRun(task: Task | string, options: RunOptions & { runId?: string }): Run {
  const { runId = newRunId(), ...given } = options ?? {};
  return launch(runId, given.signal, async (signal) => {
    const ports = resolvePorts(given);
    checkInput(RunIdSchema, runId, { root: "runId" });
    const wanted = typeof task === "string" ? taskOf(task) : task;
    const valid = withoutSecrets(checkInput(TaskSchema, wanted, { root: "task" }), ports);
    ports.oracle.validate(valid);
    const limits = { ...valid.limits, ...ports.limits };
    refuseUnpriced(limits, ports);
    await preflight(ports, signal);
    return await withDirectory(ports, runId, async (directory) => {
      const opening = () => openRun(runId, valid, limits, ports, directory);
      const header = await (signal.aborted ? opening() : untilAborted(signal, opening));
      const writer = await ports.store.create(header);
      return { ports, task: valid, past: { header, events: [] }, writer, winners: new Map(), directory };
    });
  });
}

/** {@link startRun}, waited for. */
export function runTask(task: Task | string, options: RunOptions & { runId?: string }): Promise<Trajectory> {
  return startRun(task, options).result;
}

/** A run from whatever opens its log: the shared half of starting, resuming and replaying. */
export function launch(
  runId: string,
  signal: AbortSignal | undefined,
  open: (signal: AbortSignal) => Promise<Launch>,
): Run {
  const abort = new AbortController();
  const stream = new EventStream();
  const onAbort = () => abort.abort(signal?.reason);
  if (signal?.aborted) onAbort();
  signal?.addEventListener("abort", onAbort, { once: true });

  async function run(): Promise<Trajectory> {
    try {
      const trajectory = await drive(await open(abort.signal), abort, stream);
      stream.end({});
      return trajectory;
    } catch (error) {
      stream.end({ error });
      throw error;
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }
  const result = run();
  return {
    runId,
    result,
    on: (kind, listener) => stream.on(kind, listener),
    abort: (reason = "aborted by the caller") => abort.abort(new SwarmError("ABORTED", reason)),
    [Symbol.asyncIterator]() {
      result.catch(() => {}); // who iterates is told of the error there
      return stream.iterate();
    },
  };
}

/** A run's id names its log, so it has to be a file name everywhere. */
export const RunIdSchema: Schema<string> = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]{0,127}$/, "a run id is 1 to 128 letters, digits, '.', '_' or '-'");

export function newRunId(): string {
  const time = new Date()
    .toISOString()
    .replaceAll(/[-:]|\..*$/g, "")
    .replace("T", "-");
  return `${time}-${randomBytes(3).toString("hex")}`;
}

/** A budget in dollars that counts only some of the calls would be none. */
export function refuseUnpriced({ usd }: Partial<Budget>, { team, allowUnpriced }: Ports): void {
  const unpriced = modelsOf(team).filter(({ price }) => price === null);
  if (usd === undefined || allowUnpriced || unpriced.length === 0) return;
  const ids = unpriced.map(({ id }) => id).join(", ");
  throw new InvalidInputError("limits.usd", `no price is known of ${ids}: give it, limit tokens, or set allowUnpriced`);
}

/** Everything that can be known to fail, before anything is called or written. An abort ends it. */
export function preflight({ team, executor }: Ports, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve(); // the run will say so in its log
  return untilAborted(signal, async () => {
    for (const model of modelsOf(team)) await model.preflight?.();
    await executor.preflight?.({ name: team.name, version: team.version, config: team.config }, { signal });
  });
}

async function openRun(
  runId: string,
  task: Task,
  limits: Partial<Budget>,
  { team, sandbox, clock, redact, secrets, origin }: Ports,
  directory: HeldDirectory | null,
): Promise<LogHeader> {
  const { snapshots, blobs, tier } = sandbox;
  const workspace = await directory?.snapshot({ secrets }); // first: what is put may come to lie in it
  const source = await snapshots.put(task.source, { secrets });
  const tests = task.testFiles && (await snapshots.put({ files: task.testFiles }));
  const layers = [workspace, tests].filter((layer) => layer !== undefined);
  const base = layers.length > 0 ? await snapshots.overlay(source, layers) : source;
  const header: LogHeader = {
    schema: LOG_SCHEMA,
    runId,
    task: viewOf(task),
    taskSha256: await blobs.put(canonicalJson(task)),
    base,
    ...(workspace === undefined ? {} : { workspace }),
    team: { name: team.name, version: team.version, config: team.config },
    limits,
    prices: Object.fromEntries(modelsOf(team).map(({ id, price }) => [id, price])),
    tier,
    parent: null,
    measured: {
      startedAt: new Date(clock.now()).toISOString(),
      ...(Object.keys(origin).length > 0 ? { origin } : {}),
    },
  };
  return redactJson(header, redact);
}
