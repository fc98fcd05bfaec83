import { strict as assert } from "node:assert";
import {
  type Clock,
  firstDivergence,
  type LogContent,
  LogError,
  type LogStore,
  memoryLogStore,
  parseLog,
  type RunEvent,
  resumeRun,
  startRun,
  type Team,
  type Trajectory,
  writeLine,
} from "@swarm/core";
import { assertReplays, assertSoundRun } from "@swarm/core/testing";
import fc from "fast-check";
import { type Crash, crashes, type Plan, plans } from "./plan.ts";
import { generatedTeam, task, type World, witnessOf } from "./team.ts";

const RUN = "run";

/** Back-offs and cool-downs pass at once. */
const clock: Clock = {
  now: () => Date.now(),
  after(_ms, callback) {
    const timer = setImmediate(callback);
    return () => clearImmediate(timer);
  },
};

/** What a part of the crash test went through. */
export type Crashed = { cases: number; crashes: number };

/** Generated runs that crash in generated ways. Fails with the smallest that differs. */
export async function crashTeams({ cases, seed }: { cases: number; seed: number }): Promise<Crashed> {
  let crashed = 0;
  const property = fc.asyncProperty(plans, crashes, async (plan, given) => {
    crashed += given.length;
    await crashInMemory(plan, given);
  });
  await fc.assert(property, { numRuns: cases, seed });
  return { cases, crashes: crashed };
}

/**
 * A generated run that crashes as told, each time it goes on, and then comes to its end: it has to be the run that was never
 * disturbed. Fails with what differs.
 */
async function crashInMemory(plan: Plan, crashes: readonly Crash[]): Promise<void> {
  let world: World = { answered: [], made: [] };
  const team = generatedTeam({ plan, witness: () => witnessOf(world) });
  const whole = await startRun(task, { team, clock, store: memoryLogStore(), runId: RUN }).result;
  assertSoundRun(whole);

  let log: LogContent = { header: whole.header, events: [] };
  for (const crash of crashes) {
    const ahead = whole.events.slice(log.events.length); // of the first life; later ones may have some more
    const left = Math.floor(crash.at * (ahead.length + 1));
    world = { answered: [], made: [] };
    const before = log;
    log = await crashed(crash, left, { team, log, ahead });
    assertNothingTwice(before.events, world);
  }
  world = { answered: [], made: [] };
  const final = await resumeRun(RUN, { team, clock, store: await storeWith(log) }).result;
  assertNothingTwice(log.events, world);
  assertSameRun(whole, final);
  await assertReplays(final, { team, clock });
}

type Life = { team: Team; log: LogContent; ahead: readonly RunEvent[] };

/** What a crash leaves of the log. */
async function crashed({ how }: Crash, left: number, { team, log, ahead }: Life): Promise<LogContent> {
  if (log.events.length === 0 && (how === "cut" || how === "torn")) {
    return how === "cut" ? { ...log, events: ahead.slice(0, left) } : torn({ ...log, events: [...ahead] }, left);
  }
  const store = await storeWith(log);
  if (how === "abort") {
    const run = resumeRun(RUN, { team, clock, store });
    let seen = 0;
    run.on("event", () => {
      if (seen++ === log.events.length + left) run.abort("enough");
    });
    assertSoundRun(await run.result);
    return await store.read(RUN);
  }
  const full = fullAfter(store, left);
  await resumeRun(RUN, { team, clock, store: full }).result.catch((error: unknown) => {
    if (!(error instanceof LogError && error.code === "LOG_WRITE_FAILED")) throw error;
  });
  return how === "torn" ? torn(await store.read(RUN), Number.POSITIVE_INFINITY) : await store.read(RUN);
}

/** The log as text, cut off amid the line of the event with this place, and read again. */
function torn({ header, events }: LogContent, place: number): LogContent {
  const lines = [header, ...events].map((line) => `${writeLine(line)}\n`);
  const kept = lines.slice(0, Math.min(place, events.length) + 1);
  const last = lines[kept.length]?.slice(0, place % 60) ?? "";
  const read = parseLog(Buffer.from(kept.join("") + last));
  return { header: read.header, events: read.events };
}

async function storeWith({ header, events }: LogContent): Promise<LogStore> {
  const store = memoryLogStore();
  const writer = await store.create(header, events);
  await writer.close();
  return store;
}

/** A store whose disk is full after so many more events. */
function fullAfter(store: LogStore, count: number): LogStore {
  let room = count;
  return {
    ...store,
    async open(runId) {
      const opened = await store.open(runId);
      const append = (events: readonly RunEvent[]) => {
        if (room < events.length) {
          room = 0;
          throw new LogError("LOG_WRITE_FAILED", "the disk is full");
        }
        room -= events.length;
        opened.writer.append(events);
      };
      return { ...opened, writer: { ...opened.writer, append } };
    },
  };
}

/** What had ended was not made again, and what must not be made twice not where it had begun. */
export function assertNothingTwice(past: readonly RunEvent[], { answered, made }: World): void {
  const ended = new Set<string>();
  const begun = new Set<string>();
  for (const { stepId, key, payload } of past) {
    if (key === null) continue;
    if (payload.type === "begin") begun.add(`${RUN}/${stepId}/${key}`);
    if (payload.type === "end") ended.add(`${RUN}/${stepId}/${payload.of}`);
  }
  for (const { id, tool } of made) {
    assert.ok(!ended.has(id), `${tool} ${id} was made again, though it had ended`);
    assert.ok(tool !== "send" || !begun.has(id), `send ${id} was made again, though it had begun`);
  }
  const paid = answeredIn(past);
  for (const site of answered) assert.ok(!paid.has(site), `${site} was asked again, though it had been answered`);
  assert.equal(new Set(made.map(({ id }) => id)).size, made.length, "a call was made twice in one life");
}

/** The model calls whose answers are in a log, by their site, each with the event that has its answer. */
export function answeredIn(events: readonly RunEvent[]): Map<string, RunEvent> {
  const counts = new Map<string, number>();
  const sites = new Map<string, string>();
  const answered = new Map<string, RunEvent>();
  for (const event of events) {
    const { stepId, key, agent, payload } = event;
    if (key === null) continue;
    if (payload.type === "begin" && payload.call.op === "model") {
      const role = `${stepId}|${agent}|${key.split(".")[0]}`;
      const nth = counts.get(role) ?? 0;
      counts.set(role, nth + 1);
      sites.set(`${stepId} ${key}`, `${role}.${nth}`);
    }
    const site = payload.type === "end" ? sites.get(`${stepId} ${payload.of}`) : undefined;
    if (site !== undefined) answered.set(site, event);
  }
  return answered;
}

/**
 * The verdict and the files have to be the same, and so has every event, unless a call of unknown effect was cut off: then the
 * program was told so.
 */
export function assertSameRun(whole: Trajectory, final: Trajectory): void {
  assertSoundRun(final);
  assert.equal(final.verdict.outcome, whole.verdict.outcome);
  assert.deepEqual(final.verdict.signals, whole.verdict.signals);
  assert.deepEqual(final.state, whole.state);
  const interrupted = final.events.some(
    ({ payload }) => payload.type === "end" && payload.fault?.code === "INTERRUPTED",
  );
  if (interrupted) return;
  assert.equal(final.failureSignature, whole.failureSignature);
  const divergence = firstDivergence(whole.events, final.events);
  assert.equal(divergence, null, `the runs differ: ${JSON.stringify(divergence, null, 2)}`);
}
