/** What is to be run, and on what. Times are in seconds unless a name says otherwise. */
export type Scale = {
  runs: number;
  /** Runs come by chance, so many a second; null: all are there at the start. */
  runsPerS: number | null;
  /** Runs that are under way at most. */
  atOnce: number;
  /** Mean numbers; each run and step has at least one. */
  stepsPerRun: number;
  callsPerStep: number;
  /** Mean time of a model call, exponential; of `stragglers` of them it is `stragglerFactor` times as long. */
  callS: number;
  stragglers: number;
  stragglerFactor: number;
  /** Mean time of tools and tests after a call, exponential. */
  toolS: number;
  /** Mean tokens of a call, exponential. */
  tokensPerCall: number;
  /** What the provider allows. */
  requestsPerMinute: number;
  tokensPerMinute: number;
  workers: number;
  /** Steps that one worker performs at once. */
  places: number;
  /** Mean time between two losses of one worker, and how long it is away then. */
  lossS: number;
  awayS: number;
  /** After so long a lost attempt is delivered again. */
  leaseS: number;
  /** Processes that drive runs, and what one request of a worker to its gate costs such a process. */
  runProcesses: number;
  requestCpuS: number;
};

/** Requests that a worker sends to the gate: for a step, for a model call with the tools after it, and while a step lasts. */
export const REQUESTS = { step: 4, call: 2, beats: 5 };

/** Figures that the model predicts and the simulation counts. */
export type Figures = {
  /** Runs that end, a second. */
  throughput: number;
  /** Places that perform a step, on average. */
  busyPlaces: number;
  runS: number;
  /** What a call waits for its provider. */
  providerWaitS: number;
  /** What a step waits for a place. */
  placeWaitS: number;
  /** Attempts that were delivered again, a second. */
  redeliveries: number;
  /** Share of their time that the processes that drive runs work. */
  runProcessLoad: number;
};

/** A team like codeswarm on a model of today, with enough of everything: assumptions, but for what is measured. */
export const USUAL: Scale = {
  runs: 10_000,
  runsPerS: 10_000 / 86_400,
  atOnce: Number.POSITIVE_INFINITY,
  stepsPerRun: 4,
  callsPerStep: 3,
  callS: 8,
  stragglers: 0,
  stragglerFactor: 1,
  toolS: 1.5,
  tokensPerCall: 6_000,
  requestsPerMinute: Number.POSITIVE_INFINITY,
  tokensPerMinute: Number.POSITIVE_INFINITY,
  workers: 40,
  places: 4,
  lossS: 30 * 86_400,
  awayS: 60,
  leaseS: 10,
  runProcesses: 1,
  requestCpuS: 0.001,
};
