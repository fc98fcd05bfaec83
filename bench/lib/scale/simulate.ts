import { TokenBucket } from "@swarm/core";
import FlatQueue from "flatqueue";
import { type Figures, REQUESTS, type Scale } from "./parameters.ts";
import { randomOf } from "./random.ts";

export type Simulated = Figures & {
  begun: number;
  ended: number;
  /** Calls that were begun, those that were made again too, and those that a loss cut off. */
  calls: number;
  cutOff: number;
  /** When the last run ended. */
  lastS: number;
  /** Runs under way, on average, counted by time. */
  underWay: number;
  mostRequestsInAMinute: number;
  /** 95 of 100 runs take no longer. */
  runS95: number;
};

/** Told of what happens: for tests. */
export type Observer = {
  performs?(place: number, run: number, now: number): void;
  leaves?(place: number, run: number, now: number): void;
  asks?(now: number, tokens: number): void;
};

type Run = { id: number; since: number; steps: number; calls: number; queuedAt: number };

/** Kinds of events; what an event is about is the rest of its number. */
const KINDS = 5;
const [ARRIVAL, CALL_ENDS, STEP_READY, WORKER_LOST, WORKER_BACK] = [0, 1, 2, 3, 4];

/**
 * Runs that are driven by processes, performed by workers and held up by a provider, as a discrete-event simulation. The provider's
 * limit is the very bucket that a batch has. Equal seeds give equal results.
 */
export function simulate(scale: Scale, seed: number, observer: Observer = {}): Simulated {
  const { runs, places } = scale;
  const random = randomOf(seed);
  const events = new FlatQueue<number>();
  const at = (time: number, kind: number, about: number) => events.push(about * KINDS + kind, time);
  const performing: (Run | null)[] = new Array(scale.workers * places).fill(null);
  /** Counted up whenever a place is taken or lost: an end of an earlier life says nothing, as a fence has it. */
  const epochs = new Uint32Array(performing.length);
  const up = new Uint8Array(scale.workers).fill(1);
  const free = Array.from(performing.keys()).reverse();
  const waiting = new Line<Run>();
  /** Steps that are going to be ready, and places in the list that are free again. */
  const kept: (Run | null)[] = [];
  const gaps: number[] = [];
  const processes = new Float64Array(scale.runProcesses);
  const provider = providerOf(scale);
  const times = new Float64Array(runs);
  const minutes = new Map<number, number>();
  const sum = { providerWait: 0, placeWait: 0, taken: 0, redelivered: 0, cpu: 0, underWayS: 0, busyS: 0 };
  let [now, begun, ended, underWay, busy, calls, cutOff, lastS, left] = [0, 0, 0, 0, 0, 0, 0, 0, 0];

  /** Every event number holds its place's epoch, so that both come back from it. */
  const placeAndEpoch = (place: number) => epochs[place]! * performing.length + place;

  function pass(time: number): void {
    sum.underWayS += underWay * (time - now);
    sum.busyS += busy * (time - now);
    now = time;
  }
  function begin(): void {
    const run = { id: begun++, since: now, steps: random.count(scale.stepsPerRun), calls: 0, queuedAt: 0 };
    underWay += 1;
    nextStep(run);
  }
  function nextStep(run: Run): void {
    run.calls = random.count(scale.callsPerStep);
    const process = run.id % scale.runProcesses;
    const work = (REQUESTS.step + run.calls * REQUESTS.call) * scale.requestCpuS;
    sum.cpu += work;
    processes[process] = Math.max(now, processes[process]!) + work;
    readyAt(processes[process]!, run);
  }
  function readyAt(time: number, run: Run): void {
    at(time, STEP_READY, keep(run));
  }
  function keep(run: Run): number {
    const slot = gaps.pop() ?? kept.length;
    kept[slot] = run;
    return slot;
  }
  function giveOut(): void {
    while (waiting.length > 0) {
      const place = takeFree();
      if (place === null) return;
      const run = waiting.shift();
      sum.placeWait += now - run.queuedAt;
      sum.taken += 1;
      performing[place] = run;
      busy += 1;
      observer.performs?.(place, run.id, now);
      call(place);
    }
  }
  /** A worker's places are given out only while it is there. */
  function takeFree(): number | null {
    for (let place = free.pop(); place !== undefined; place = free.pop())
      if (up[Math.floor(place / places)] === 1 && performing[place] === null) return place;
    return null;
  }
  function call(place: number): void {
    const tokens = scale.tokensPerCall === 0 ? 0 : random.exponential(scale.tokensPerCall);
    const start = provider.admit(now, tokens);
    observer.asks?.(start, tokens);
    sum.providerWait += start - now;
    calls += 1;
    const minute = Math.floor(start / 60);
    minutes.set(minute, (minutes.get(minute) ?? 0) + 1);
    const factor = random.uniform() < scale.stragglers ? scale.stragglerFactor : 1;
    epochs[place]! += 1;
    const takes = random.exponential(scale.callS) * factor + random.exponential(scale.toolS);
    at(start + takes, CALL_ENDS, placeAndEpoch(place));
  }
  function callEnds(about: number): void {
    const place = about % performing.length;
    const run = performing[place];
    if (!run || epochs[place] !== Math.floor(about / performing.length)) return;
    run.calls -= 1;
    if (run.calls > 0) {
      call(place);
      return;
    }
    leave(place, run);
    free.push(place);
    run.steps -= 1;
    if (run.steps > 0) nextStep(run);
    else end(run);
    giveOut();
  }
  function leave(place: number, run: Run): void {
    performing[place] = null;
    epochs[place]! += 1;
    busy -= 1;
    observer.leaves?.(place, run.id, now);
  }
  function end(run: Run): void {
    times[ended++] = now - run.since;
    underWay -= 1;
    lastS = now;
    if (left > 0) {
      left -= 1;
      begin();
    }
  }
  function workerLost(worker: number): void {
    if (ended === runs) return;
    up[worker] = 0;
    for (let place = worker * places; place < (worker + 1) * places; place++) {
      const run = performing[place];
      if (!run) continue;
      leave(place, run);
      cutOff += 1;
      sum.redelivered += 1;
      readyAt(now + scale.leaseS, run); // with the calls that it had made
    }
    at(now + scale.awayS, WORKER_BACK, worker);
  }
  function workerBack(worker: number): void {
    up[worker] = 1;
    for (let place = worker * places; place < (worker + 1) * places; place++) free.push(place);
    if (ended < runs) at(now + random.exponential(scale.lossS), WORKER_LOST, worker);
    giveOut();
  }
  function arrive(nth: number): void {
    if (underWay < scale.atOnce) begin();
    else left += 1;
    if (nth + 1 < runs) at(now + random.exponential(1 / scale.runsPerS!), ARRIVAL, nth + 1);
  }

  for (let worker = 0; worker < scale.workers; worker++) at(random.exponential(scale.lossS), WORKER_LOST, worker);
  if (scale.runsPerS !== null) at(0, ARRIVAL, 0);
  else {
    left = Math.max(0, runs - scale.atOnce);
    while (begun + left < runs) begin();
  }
  while (ended < runs) {
    pass(events.peekValue()!);
    const event = events.pop()!;
    const about = Math.floor(event / KINDS);
    const kind = event % KINDS;
    if (kind === CALL_ENDS) callEnds(about);
    else if (kind === STEP_READY) {
      const run = kept[about]!;
      kept[about] = null;
      gaps.push(about);
      run.queuedAt = now;
      waiting.push(run);
      giveOut();
    } else if (kind === ARRIVAL) arrive(about);
    else if (kind === WORKER_LOST) workerLost(about);
    else workerBack(about);
  }
  const sorted = times.sort();
  const beats = (sum.busyS * REQUESTS.beats) / scale.leaseS;
  return {
    begun,
    ended,
    calls,
    cutOff,
    lastS,
    throughput: ended / lastS,
    busyPlaces: sum.busyS / lastS,
    underWay: sum.underWayS / lastS,
    runS: sorted.reduce((total, time) => total + time, 0) / ended,
    runS95: sorted[Math.floor(ended * 0.95)]!,
    providerWaitS: sum.providerWait / calls,
    placeWaitS: sum.placeWait / sum.taken,
    redeliveries: sum.redelivered / lastS,
    runProcessLoad: (sum.cpu + beats * scale.requestCpuS) / scale.runProcesses / lastS,
    mostRequestsInAMinute: Math.max(...minutes.values()),
  };
}

/** Calls begin in the order in which they ask. */
function providerOf({ requestsPerMinute, tokensPerMinute }: Scale): { admit(now: number, tokens: number): number } {
  const bucket = (rate: number) => (Number.isFinite(rate) ? new TokenBucket(rate, 0) : null);
  const [requests, tokens] = [bucket(requestsPerMinute), bucket(tokensPerMinute)];
  let lastMs = 0;
  return {
    admit(now, amount) {
      const askedMs = Math.max(lastMs, now * 1000);
      lastMs = askedMs + Math.max(requests?.waitMs(askedMs) ?? 0, tokens?.waitMs(askedMs) ?? 0);
      requests?.take(1, lastMs);
      tokens?.take(amount, lastMs);
      return Math.max(now, lastMs / 1000);
    },
  };
}

/** First in, first out, without moving what waits. */
class Line<T> {
  #items: T[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }
  push(item: T): void {
    this.#items.push(item);
  }
  shift(): T {
    const item = this.#items[this.#head++]!;
    if (this.#head > 1_000 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}
