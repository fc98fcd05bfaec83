import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { REQUESTS, type Scale, USUAL } from "../bench/lib/scale/parameters.ts";
import { predict } from "../bench/lib/scale/predict.ts";
import { simulate } from "../bench/lib/scale/simulate.ts";

const scales: fc.Arbitrary<Scale> = fc
  .record({
    runs: fc.integer({ min: 1, max: 150 }),
    runsPerS: fc.option(fc.double({ min: 0.01, max: 5, noNaN: true })),
    atOnce: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.integer({ min: 1, max: 20 })),
    stepsPerRun: fc.double({ min: 1, max: 5, noNaN: true }),
    callsPerStep: fc.double({ min: 1, max: 5, noNaN: true }),
    stragglers: fc.double({ min: 0, max: 0.2, noNaN: true }),
    stragglerFactor: fc.integer({ min: 1, max: 30 }),
    requestsPerMinute: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.integer({ min: 20, max: 2_000 })),
    tokensPerMinute: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.integer({ min: 100_000, max: 9_000_000 })),
    workers: fc.integer({ min: 1, max: 20 }),
    places: fc.integer({ min: 1, max: 4 }),
    lossS: fc.integer({ min: 300, max: 100_000 }),
    runProcesses: fc.integer({ min: 1, max: 3 }),
  })
  .map((some) => ({ ...USUAL, ...some }));
const seeds = fc.nat(1_000);

describe("the simulation of scale", () => {
  test("ends each run that it begins, once, and makes again only the calls that a loss cut off", () => {
    fc.assert(
      fc.property(scales, seeds, (scale, seed) => {
        const undisturbed = { ...scale, lossS: 1e12 };
        const { begun, ended, cutOff } = simulate(scale, seed);
        expect([begun, ended]).toEqual([scale.runs, scale.runs]);
        expect(cutOff).toBeGreaterThanOrEqual(0);
        expect(simulate(undisturbed, seed).cutOff).toBe(0);
      }),
    );
  });

  test("lets no place of a worker do two things, no run be in two places, and no more runs be under way than may", () => {
    fc.assert(
      fc.property(scales, seeds, (scale, seed) => {
        const places = new Map<number, number>();
        simulate(scale, seed, {
          performs(place, run) {
            expect(places.has(place)).toBe(false);
            expect([...places.values()]).not.toContain(run);
            places.set(place, run);
            expect(places.size).toBeLessThanOrEqual(Math.min(scale.workers * scale.places, scale.atOnce));
          },
          leaves(place, run) {
            expect(places.get(place)).toBe(run);
            places.delete(place);
          },
        });
        expect(places.size).toBe(0);
      }),
    );
  });

  test("keeps to the provider's rates in any time, beside a second's worth and one call", () => {
    fc.assert(
      fc.property(scales, seeds, (scale, seed) => {
        const asked: { at: number; tokens: number }[] = [];
        simulate(scale, seed, { asks: (at, tokens) => asked.push({ at, tokens }) });
        for (let first = 0; first < asked.length; first += 7) {
          let tokens = 0;
          for (let last = first; last < asked.length; last++) {
            const seconds = asked[last]!.at - asked[first]!.at;
            const [requests, most] = [scale.requestsPerMinute / 60, scale.tokensPerMinute / 60];
            if (last - first > requests * (seconds + 1) + 1e-6 || tokens > most * (seconds + 1) + 1e-3)
              expect.fail(`${last - first} requests and ${tokens} tokens in ${seconds} s`);
            tokens += asked[last]!.tokens;
          }
        }
      }),
      { numRuns: 30 },
    );
  });

  test("obeys Little's law: runs under way are runs that end a second by their time", () => {
    fc.assert(
      fc.property(scales, seeds, (scale, seed) => {
        const { underWay, throughput, runS } = simulate(scale, seed);
        expect(underWay / (throughput * runS)).toBeCloseTo(1, 6);
      }),
    );
  });

  test("gives equal results for equal seeds, and others for others", () => {
    fc.assert(
      fc.property(scales, seeds, (scale, seed) => {
        expect(simulate(scale, seed)).toEqual(simulate(scale, seed));
        expect(simulate(scale, seed).runS).not.toBe(simulate(scale, seed + 1).runS);
      }),
      { numRuns: 30 },
    );
  });

  test("delivers again what a lost worker had, after the lease", () => {
    const lossy = { ...USUAL, runs: 300, runsPerS: 1, workers: 100, lossS: 200 };
    const left = new Map<number, number>();
    const waits: number[] = [];
    const { redeliveries, lastS, cutOff } = simulate(lossy, 3, {
      leaves: (_place, run, now) => void left.set(run, now),
      performs(_place, run, now) {
        const waited = now - (left.get(run) ?? now);
        if (waited > 1) waits.push(waited); // from one step to the next it is milliseconds
      },
    });
    expect(cutOff).toBeGreaterThan(20);
    expect(redeliveries * lastS).toBeCloseTo(cutOff);
    expect(waits.length).toBe(cutOff);
    for (const waited of waits) expect(waited).toBeCloseTo(lossy.leaseS, 1);
  });
});

describe("the model of scale", () => {
  const day = { ...USUAL, runs: 20_000 };

  test.each<[string, Scale]>([
    ["enough of everything", day],
    ["workers that are lost", { ...day, lossS: 900, workers: 60 }],
    ["stragglers", { ...day, stragglers: 0.02, stragglerFactor: 10 }],
    ["a rate for 70% of the calls", { ...day, requestsPerMinute: 58, atOnce: 60 }],
  ])("agrees with the simulation within a twentieth: %s", (_name, scale) => {
    const [model, counted] = [predict(scale), simulate(scale, 7)];
    for (const figure of ["throughput", "busyPlaces", "runS", "runProcessLoad"] as const)
      expect(counted[figure] / model[figure]).toBeCloseTo(1, 1);
  });

  test("says what the page says that a million runs a day need", () => {
    const { busyPlaces, runS } = predict({ ...USUAL, runsPerS: 1e6 / 86_400, workers: 420, runProcesses: 4 });
    const page = readFileSync(new URL("../docs/scale.md", import.meta.url), "utf8");
    expect(page).toContain(`${Math.round(busyPlaces).toLocaleString("en")} places`);
    expect(page).toContain(`${runS.toFixed(0)} s`);
    expect(page).toContain(`${REQUESTS.step} requests for a step`);
  });
});
