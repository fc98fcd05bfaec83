// A set-up of every test file: each run that a test makes in its process is replayed when the test is over, with the run's own
// team, sandbox, test runner and oracle, and the test fails where the replay differs. Runs of a file that are equal are one.
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { Clock, Trajectory } from "@swarm/core";
import { afterEach, expect } from "vitest";
import { type EndedRun, onEachRun } from "./each-run.ts";
import { NOT_REPLAYED } from "./not-replayed.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PATIENCE_MS = 120_000;

/** Back-offs pass at once, also where the clock of the test stands still. */
const clock: Clock = {
  now: () => Date.now(),
  after(_ms, callback) {
    const timer = setImmediate(callback);
    return () => clearImmediate(timer);
  },
};

const ended: EndedRun[] = [];
onEachRun((run) => ended.push(run));

const replayed = new Set<string>();
afterEach(async () => {
  const runs = ended.splice(0);
  if (runs.length === 0) return;
  const { testPath = "", currentTestName = "" } = expect.getState();
  const testFile = relative(ROOT, testPath);
  if (NOT_REPLAYED.some(({ file, name }) => testFile.startsWith(file) && currentTestName.includes(name))) return;
  const { assertReplays } = await import("@swarm/core/testing");
  for (const { trajectory, options } of runs) {
    const story = await storyOf(trajectory);
    if (!replayed.has(story)) await assertReplays(trajectory, { ...options, clock });
    replayed.add(story);
  }
}, PATIENCE_MS);

/** What a run did, wherever and whenever. */
async function storyOf({ header, events }: Trajectory): Promise<string> {
  const { canonicalEvent, sha256 } = await import("@swarm/core");
  const causal = events.filter(({ key }) => key !== null).map((event) => canonicalEvent(event));
  return sha256(JSON.stringify([header.team, header.taskSha256, header.base, ...causal.sort()]));
}
