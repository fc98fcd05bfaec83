import { strict as assert } from "node:assert";
import type { Trajectory } from "../contracts/trajectory.ts";
import { type ReplayOptions, replayRun } from "../engine/replay-run.ts";

/**
 * Fails where a run, made again from its log with no model, comes out otherwise; the message tells the first difference and its
 * cause. `options` are those of the run: its team, and the sandbox that has its files.
 */
export async function assertReplays({ header, events }: Trajectory, options: ReplayOptions): Promise<void> {
  const { divergence } = await replayRun({ header, events: [...events] }, options);
  assert.equal(divergence, null, `the replay differs: ${JSON.stringify(divergence, null, 2)}`);
}
