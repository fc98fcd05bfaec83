import { randomBytes } from "node:crypto";
import { checkInput } from "../check-input.ts";
import { type EventKind, LOG_SCHEMA, type LogHeader, type RunEvent } from "../contracts/event.ts";
import { type Task, TaskSchema, viewOf } from "../contracts/task.ts";
import type { Trajectory } from "../contracts/trajectory.ts";
import { SwarmError } from "../errors.ts";
import { canonicalJson } from "../json-value.ts";
import { drive } from "./drive.ts";
import { EventStream, type RunListener } from "./event-stream.ts";
import { type Launch, modelsOf, type Ports, type RunOptions, resolvePorts } from "./run-options.ts";

/** A run under way. Iterating it gives every event from the first, then live ones, and ends with the run. */
export interface Run extends AsyncIterable<RunEvent> {
  readonly runId: string;
  /** Calls back for each event of a kind, or for every `event`. Returns the function that stops it. */
  on(kind: EventKind | "event", listener: RunListener): () => void;
  /** Ends the run within a second: no call begins, those under way are cut off, and the verdict is `aborted`. */
  abort(reason?: string): void;
  /**
   * Resolves for a run that ended in any way. Rejects only for what the caller did wrong before it began: an invalid task, a
   * missing key, a log that is there already; then nothing was called and nothing is left behind. And with `LOG_WRITE_FAILED`
   * when the log cannot be written any more, such as on a full disk: what was acknowledged is kept, and the run can be resumed.
   */
  readonly result: Promise<Trajectory>;
}

/** Starts a run of `task` by a team. */
export function startRun(task: Task, options: RunOptions & { runId?: string }): Run {
  const runId = options.runId ?? newRunId();
  return launch(runId, async () => {
    const ports = resolvePorts(options);
    const valid = checkInput(TaskSchema, task, { root: "task" });
    ports.oracle.validate(valid);
    await preflight(ports);
    const header = await openRun(runId, valid, ports);
    const writer = await ports.store.create(header);
    return { ports, task: valid, past: { header, events: [] }, writer, winners: new Map() };
  });
}

/** {@link startRun}, waited for. */
export function runTask(task: Task, options: RunOptions & { runId?: string }): Promise<Trajectory> {
  return startRun(task, options).result;
}

/** A run from whatever opens its log: the shared half of starting, resuming and replaying. */
export function launch(runId: string, open: () => Promise<Launch>): Run {
  const abort = new AbortController();
  const stream = new EventStream();
  const result = open().then((launched) => drive(launched, abort, stream));
  result.then(
    () => stream.end({}),
    (error: unknown) => stream.end({ error }),
  );
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

function newRunId(): string {
  const time = new Date()
    .toISOString()
    .replaceAll(/[-:]|\..*$/g, "")
    .replace("T", "-");
  return `${time}-${randomBytes(3).toString("hex")}`;
}

/** Everything that can be known to fail, before anything is called or written. */
async function preflight({ team, executor }: Ports): Promise<void> {
  for (const model of modelsOf(team)) await model.preflight?.();
  await executor.preflight?.({ name: team.name, version: team.version, config: team.config });
}

async function openRun(runId: string, task: Task, { team, sandbox, limits, clock }: Ports): Promise<LogHeader> {
  const { snapshots, blobs, tier } = sandbox;
  const source = await snapshots.put(task.source);
  const base = task.testFiles
    ? await snapshots.overlay(source, [await snapshots.put({ files: task.testFiles })])
    : source;
  return {
    schema: LOG_SCHEMA,
    runId,
    task: viewOf(task),
    taskSha256: await blobs.put(canonicalJson(task)),
    base,
    team: { name: team.name, version: team.version, config: team.config },
    limits: { ...task.limits, ...limits },
    prices: Object.fromEntries(modelsOf(team).map(({ id, price }) => [id, price])),
    tier,
    parent: null,
    measured: { startedAt: new Date(clock.now()).toISOString() },
  };
}
