import { type Figures, REQUESTS, type Scale } from "./parameters.ts";

/** The model: closed formulas, each for a system that is long at work. `docs/scale.md` tells where each is from. */
export function predict(scale: Scale): Figures {
  const { stepsPerRun, callsPerStep, callS, toolS, stragglers, stragglerFactor } = scale;
  const callTime = callS * (1 + stragglers * (stragglerFactor - 1));
  const callSquares = 2 * callS ** 2 * (1 + stragglers * (stragglerFactor ** 2 - 1));
  const unitS = callTime + toolS;
  const unitSquares = callSquares + 2 * callTime * toolS + 2 * toolS ** 2;
  const lossesS = 1 / scale.lossS; // of one place
  // a call that is lost is made again: it had run for a part of its time, longer calls more often
  const repeatedS = callsPerStep * lossesS * (unitSquares / 2);

  const offered = scale.runsPerS ?? Number.POSITIVE_INFINITY;
  const requests = scale.requestsPerMinute / 60;
  const tokens = scale.tokensPerMinute / 60 / scale.tokensPerCall;
  const callsPerRun = stepsPerRun * callsPerStep * (1 + lossesS * unitS);
  const stepCpuS = (REQUESTS.step + callsPerStep * REQUESTS.call) * scale.requestCpuS;
  const up = scale.lossS / (scale.lossS + scale.awayS);
  const places = Math.round(scale.workers * up * scale.places);
  const placeTime = callsPerStep * unitS + repeatedS;
  const throughput = Math.min(
    offered,
    Math.min(requests, tokens) / callsPerRun,
    places / (stepsPerRun * placeTime),
    scale.runProcesses / (stepsPerRun * stepCpuS),
  );

  const steps = throughput * stepsPerRun;
  const held = throughput < offered && Number.isFinite(scale.atOnce); // as many under way as may be (Little: runs under way by their time)
  const providerWaitS = held
    ? Math.max(0, scale.atOnce / steps - placeTime - stepCpuS) / callsPerStep
    : bucketWait(throughput * callsPerRun, requests, 0) + bucketWait(throughput * callsPerRun, tokens, 1);
  const stepS = placeTime + callsPerStep * providerWaitS;
  const busyPlaces = steps * stepS;
  const spread = callsPerStep * (unitSquares - unitS ** 2) + (callsPerStep - 1) * unitS ** 2; // variance of a step's time
  const placeWaitS = queueWait(places, busyPlaces, stepS) * ((1 + spread / stepS ** 2) / 2);
  const redeliveries = busyPlaces * lossesS;
  const redelivered = redeliveries / steps;
  const beats = (busyPlaces * REQUESTS.beats) / scale.leaseS;
  return {
    throughput,
    busyPlaces,
    providerWaitS,
    placeWaitS,
    redeliveries,
    runS: stepsPerRun * (placeWaitS * (1 + redelivered) + stepS + redelivered * scale.leaseS + stepCpuS),
    runProcessLoad: (steps * stepCpuS + beats * scale.requestCpuS) / scale.runProcesses,
  };
}

/** Mean wait before a bucket of a second's worth: that of a queue with one server (Pollaczek and Khinchine), less what the bucket holds. */
function bucketWait(demand: number, rate: number, squaredSpread: number): number {
  const load = demand / rate;
  if (load >= 1 || !Number.isFinite(rate)) return load >= 1 ? Number.POSITIVE_INFINITY : 0;
  const wait = ((load / rate) * ((1 + squaredSpread) / 2)) / (1 - load);
  return wait * Math.exp(((load - 1) * rate) / (load * ((1 + squaredSpread) / 2)));
}

/** Mean wait for one of many servers (Erlang's C). */
function queueWait(servers: number, busy: number, serviceS: number): number {
  if (busy >= servers) return Number.POSITIVE_INFINITY;
  let blocked = 1; // Erlang's B, server by server
  for (let server = 1; server <= servers; server++) blocked = (busy * blocked) / (server + busy * blocked);
  const waits = blocked / (1 - (busy / servers) * (1 - blocked));
  return (waits * serviceS) / (servers - busy);
}
