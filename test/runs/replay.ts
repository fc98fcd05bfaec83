// A set-up of every test file: each run that a test makes in its process is looked at when the test is over. Its log has to be sound:
// costs that are the sum of its calls, and no secret. And it is replayed, with the run's own team, sandbox, test runner and oracle; the
// test fails where the replay differs. Runs of a file that are equal are replayed once.
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { Trajectory } from "@swarm/core";
import { afterEach, expect, inject } from "vitest";
import { note } from "../notes.ts";
import { type EndedRun, onEachRun } from "./each-run.ts";
import { hurried } from "./hurried.ts";
import { NOT_REPLAYED } from "./not-replayed.ts";
import { replaying } from "./replaying.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PATIENCE_MS = 120_000;

process.env["NODE_OPTIONS_OF_CHILDREN"] = replaying().join(" "); // for tests of packages, which cannot import it

const ended: EndedRun[] = [];
onEachRun((run) => ended.push(run));

const replayed = new Set<string>();
afterEach(async () => {
  const runs = ended.splice(0);
  if (runs.length === 0) return;
  const { assertReplays, assertSoundRun } = await import("@swarm/core/testing");
  for (const { trajectory, options } of runs) assertSoundRun(trajectory, options.secrets);
  const notes = inject("replays");
  const { testPath = "", currentTestName = "" } = expect.getState();
  const testFile = relative(ROOT, testPath);
  const exception = NOT_REPLAYED.find(({ file, name }) => testFile.startsWith(file) && currentTestName.includes(name));
  if (exception) {
    note(
      notes,
      runs.map(() => exception.name),
    );
    return;
  }
  for (const { trajectory, options } of runs) {
    const story = await storyOf(trajectory);
    const isNew = !replayed.has(story);
    if (isNew) await assertReplays(trajectory, { ...options, clock: hurried });
    replayed.add(story);
    note(notes, [isNew ? "replayed" : "equal"]);
  }
}, PATIENCE_MS);

/** What a run did, wherever and whenever. */
async function storyOf({ header, events }: Trajectory): Promise<string> {
  const { canonicalEvent, sha256 } = await import("@swarm/core");
  const causal = events.filter(({ key }) => key !== null).map((event) => canonicalEvent(event));
  return sha256(JSON.stringify([header.team, header.taskSha256, header.base, ...causal.sort()]));
}
