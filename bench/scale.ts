// How many of what it takes to make many runs: the model of docs/scale.md beside a discrete-event simulation of the same, from ten
// thousand to a million runs a day, each for a whole day. `--here` measures instead what the model takes from this machine, with two
// workers, and holds the simulation against a batch that a provider's rate holds up.
import { parseArgs } from "node:util";
import { printTable } from "./lib/compare.ts";
import { type Figures, type Scale, USUAL } from "./lib/scale/parameters.ts";
import { predict } from "./lib/scale/predict.ts";
import { simulate } from "./lib/scale/simulate.ts";

const { values } = parseArgs({ options: { here: { type: "boolean", default: false } } });
const DAY_S = 86_400;

const daily = (perDay: number, rest: Partial<Scale>): Scale => ({
  ...USUAL,
  runs: perDay,
  runsPerS: perDay / DAY_S,
  ...rest,
});
const million = (rest: Partial<Scale> = {}) => daily(1_000_000, { workers: 420, runProcesses: 4, ...rest });
const needed = (1_000_000 / DAY_S) * 60 * USUAL.stepsPerRun * USUAL.callsPerStep;

const scenarios: [string, Scale][] = [
  ["10,000 runs a day, 6 workers", daily(10_000, { workers: 6 })],
  ["100,000 a day, 50 workers", daily(100_000, { workers: 50 })],
  ["1,000,000 a day, 420 workers", million()],
  ["requests at 97% of the rate", million({ requestsPerMinute: needed / 0.97 })],
  ["tokens at 98% of the rate", million({ tokensPerMinute: (needed * USUAL.tokensPerCall) / 0.98 })],
  ["a rate for 80% of the calls", million({ requestsPerMinute: needed * 0.8, workers: 2_000, atOnce: 6_000 })],
  ["1 call in 100 takes 20 times as long", million({ stragglers: 0.01, stragglerFactor: 20, workers: 480 })],
  ["each worker is lost every 20 minutes", million({ lossS: 1_200, workers: 480 })],
  ["337 workers: 98% of the places busy", million({ workers: 337 })],
  ["5,000 workers with one place each", million({ workers: 5_000, places: 1 })],
];

const figures: [keyof Figures, string, (value: number) => string][] = [
  ["throughput", "runs an hour", (value) => Math.round(value * 3_600).toLocaleString("en")],
  ["busyPlaces", "busy places", (value) => Math.round(value).toLocaleString("en")],
  ["runS", "a run, s", (value) => value.toFixed(1)],
  ["providerWaitS", "wait for the provider, s", (value) => value.toFixed(2)],
  ["placeWaitS", "wait for a place, s", (value) => value.toFixed(2)],
  ["redeliveries", "redeliveries an hour", (value) => Math.round(value * 3_600).toLocaleString("en")],
  ["runProcessLoad", "gate busy, %", (value) => (value * 100).toFixed(1)],
];

/** The model's figure, the simulation's, and their ratio where they are more than chance. */
function cell(model: number, counted: number, words: (value: number) => string): string {
  const [told, seen] = [words(model), words(counted)];
  const few = Math.max(Number(told.replaceAll(",", "")), Number(seen.replaceAll(",", ""))) < 0.2;
  return told === seen && few ? told : `${told}: ${seen} (${(counted / model).toFixed(2)})`;
}

function hold(): void {
  const rows = scenarios.map(([name, scale]) => {
    const predicted = predict(scale);
    const started = process.cpuUsage();
    const simulated = simulate(scale, 1);
    const cpuS = process.cpuUsage(started).user / 1e6;
    const cells = figures.map(([figure, , words]) => cell(predicted[figure], simulated[figure], words));
    return [name, ...cells, cpuS.toFixed(1)];
  });
  const head = ["a day", ...figures.map(([, title]) => title), "CPU s to simulate"];
  printTable("The model: the simulation (their ratio)", head, rows);
}

if (values.here) await (await import("./lib/scale/here.ts")).measureHere();
else hold();
