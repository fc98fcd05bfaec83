import { checkInput } from "../check-input.ts";
import type { RunEvent } from "../contracts/event.ts";
import type { Site } from "../contracts/executor.ts";
import { faultOf } from "../contracts/fault.ts";
import { asJson, type JsonObject } from "../contracts/json.ts";
import type { Blobs } from "../contracts/sandbox.ts";
import { type Task, TaskSchema, type TaskView, viewOf } from "../contracts/task.ts";
import type { Trajectory } from "../contracts/trajectory.ts";
import { NotFoundError } from "../errors.ts";
import { differencesBetween } from "../json-differences.ts";
import { type Divergence, type DivergenceCause, firstDivergence } from "../log/divergence.ts";
import type { LogContent } from "../log/log-store.ts";
import { memoryLogStore } from "../log/memory-log-store.ts";
import { type Pack, unpackInto } from "../log/pack.ts";
import { isDecided, sharedOf } from "../log/past.ts";
import { isOfLoser, winnersOf } from "../log/races.ts";
import { turnsOf } from "../log/thread.ts";
import { LocalExecutor } from "./local-executor.ts";
import { checkTeam, sealedTask } from "./resume-run.ts";
import { type RunOptions, resolvePorts } from "./run-options.ts";
import { launch, type Run } from "./start-run.ts";
import { withoutSecrets } from "./without-secrets.ts";

export type Replay = {
  /** The first event that came out otherwise, with its cause; `event` is the recorded one, `other` the new one. Null: all were equal. */
  divergence: Divergence | null;
  trajectory: Trajectory;
};

export type ReplayOptions = RunOptions & {
  /** What the log's task has to be, such as a task file that may have changed since. Default: whatever the log holds. */
  task?: Task;
};

/**
 * Runs a log again with no key and no network: every model answer comes from the log, every tool and test runs for real in
 * a fresh workspace, and each event is compared with the recorded one. The log itself is only read: it is named by its run's
 * id, or given with its events, or as a {@link Pack}, whose files are put into the sandbox. Rejects as `resumeRun` does.
 *
 * So a bug report becomes a regression test:
 *
 * ```ts
 * const pack = readPack(readFileSync("bug.pack.jsonl.gz"));
 * const { divergence } = await replayRun(pack, { team, sandbox });
 * expect(divergence).toBeNull();
 * ```
 */
export async function replayRun(
  run: string | LogContent | Pack,
  { task: expected, ...options }: ReplayOptions,
): Promise<Replay> {
  const ports = resolvePorts(options);
  const { header, events } = typeof run === "string" ? await ports.store.read(run) : run;
  const { blobs } = ports.sandbox;
  checkTeam(header, ports);
  if (typeof run !== "string" && "blobs" in run) await unpackInto(blobs, run);
  const task = await sealedTask(header, ports);
  const past = events.slice(0, sharedOf(header)); // a fork begins with what its parent did
  const again = launch(header.runId, options.signal, async () => ({
    ports: { ...ports, executor: new LocalExecutor(), store: memoryLogStore(), limits: {} },
    task,
    past: { header, events: past },
    writer: await memoryLogStore().create(header, past),
    winners: winnersOf(events),
    replay: replayOf(events),
  }));
  if (!isDecided(events)) endWith(events, again);
  const trajectory = await again.result;

  const given = expected && withoutSecrets(checkInput(TaskSchema, expected, { root: "task" }), ports);
  const otherTask = taskDivergence(viewOf(task), header.task) ?? (given ? taskDivergence(task, given) : null);
  const found = otherTask ?? firstDivergence(events, trajectory.events, { openEnd: !isDecided(events) });
  const divergence = found && (await withPrompts(found, { events, others: trajectory.events, blobs }));
  return { divergence, trajectory };
}

/** Ends a run where the log of one that was cut short does: what the program would do then, perhaps for ever, is in no log. */
function endWith(events: readonly RunEvent[], again: Run): void {
  const winners = winnersOf(events);
  const left = new Set(events.flatMap((event) => (isOfLoser(event, winners) ? [] : (idOf(event) ?? []))));
  again.on("event", (event) => {
    left.delete(idOf(event) ?? "");
    if (left.size === 0) again.abort("the log ends here");
  });
}

/** What a causal event is known by. */
function idOf({ stepId, key }: RunEvent): string | null {
  return key === null ? null : `${stepId} ${key}`;
}

/** The recorded outcomes of calls that a replay does not make: a model's, a fact from outside, an effect outside. */
function replayOf(events: readonly RunEvent[]): NonNullable<Site["replay"]> {
  const recorded = new Map(events.map((event) => [idOf(event), event]));
  return (stepId, { call, effect, end }) => {
    if (call.op !== "model" && call.op !== "other" && effect !== "outside") return null;
    const payload = recorded.get(`${stepId} ${end}`)?.payload;
    if (payload?.type === "end")
      return { value: payload.value, fault: payload.fault, ...(payload.tokens ? { tokens: payload.tokens } : {}) };
    const fault = faultOf({
      code: "MISSING_CALL",
      message: `the log has no end of this call of ${stepId}`,
      infrastructure: true,
    });
    return { value: null, fault };
  };
}

/** The first part of a task that is another one than it was. */
function taskDivergence<T extends Task | TaskView>(then: T, now: T): Divergence | null {
  const differences = differencesBetween(asJson(then), asJson(now));
  const [first] = differences;
  if (!first) return null;
  return { stepId: "run", event: null, other: null, cause: { kind: "task", field: first.path }, differences };
}

type Compared = { events: readonly RunEvent[]; others: readonly RunEvent[]; blobs: Blobs };

/** A divergence of two requests with the requests themselves, which a log holds as blobs and as deltas. */
async function withPrompts(divergence: Divergence, { events, others, blobs }: Compared): Promise<Divergence> {
  const { cause, event, other } = divergence;
  if (cause.kind !== "prompt" || !event || !other) return divergence;
  const then = await requestOf(event, events, blobs);
  const now = await requestOf(other, others, blobs);
  const differences = differencesBetween(then, now);
  const [first] = differences;
  return first ? { ...divergence, cause: { ...cause, ...partOf(first.path, then, now) }, differences } : divergence;
}

async function requestOf({ stepId, key, payload }: RunEvent, events: readonly RunEvent[], blobs: Blobs) {
  if (payload.type !== "begin" || payload.call.op !== "model" || key === null) return {};
  const { model, settings } = payload.call;
  const turns = asJson(turnsOf(events, stepId, key));
  return { model, ...(await readJson(blobs, settings)), turns } satisfies JsonObject;
}

async function readJson(blobs: Blobs, id: string): Promise<JsonObject> {
  try {
    return JSON.parse(new TextDecoder().decode(await blobs.get(id)));
  } catch (error) {
    if (error instanceof NotFoundError) return {}; // then the turns alone tell what they can
    throw error;
  }
}

function partOf(path: string, ...requests: JsonObject[]): Pick<DivergenceCause & { kind: "prompt" }, "part" | "tool"> {
  const [part, index] = path.split(".");
  if (part !== "tools") {
    return { part: part === "system" || part === "turns" || part === "model" ? part : "settings", tool: null };
  }
  const tools = requests.map(({ tools }) => (tools as { name: string }[])[Number(index)]?.name);
  return { part, tool: tools.find((name) => name !== undefined) ?? null };
}
