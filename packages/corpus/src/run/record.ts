import type { Blobs, Redact, Trajectory } from "@swarm/core";
import { type Attempt, attemptsOf } from "./attempts.ts";
import { type PatchText, patchText } from "./patch.ts";
import { type Settings, settingsReader } from "./settings.ts";

/** A finished run as the formats need it: made once, whichever of them asks. */
export interface RunRecord {
  readonly run: Trajectory;
  readonly attempts: readonly Attempt[];
  settings(id: string): Promise<Settings>;
  patch(): Promise<PatchText>;
}

export function runRecord(run: Trajectory, blobs: Blobs, redact: Redact): RunRecord {
  return {
    run,
    attempts: attemptsOf(run.events),
    settings: settingsReader(blobs, redact),
    patch: () => patchText(run, redact),
  };
}
