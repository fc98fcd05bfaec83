import type { Answer } from "@swarm/core/testing";
import type { MockDelivery } from "../read-task-file.ts";

/**
 * The answers of a role that works with tools, from its first call at a place on (`<stepId>|<role>|<attempt>`): it looks at the
 * files, or around where there are none yet, writes them, and says what was done.
 */
export function deliver(place: string, { files, says }: MockDelivery["wrong"], isNew = false): Record<string, Answer> {
  const written = Object.entries(files);
  const around = [{ tool: "list_dir", args: { path: "." } }];
  if (written.length === 0) return { [`${place}.0`]: around, [`${place}.1`]: says };
  return {
    [`${place}.0`]: isNew ? around : written.map(([path]) => ({ tool: "read_file", args: { path } })),
    [`${place}.1`]: written.map(([path, content]) => ({ tool: "write_file", args: { path, content } })),
    [`${place}.2`]: says,
  };
}

/** The suite of a delivery in the form in which a role answers with one; null where the task brings its tests. */
export function suiteDraft({ suite }: MockDelivery) {
  if (!suite) return null;
  const files = Object.entries(suite.files).map(([path, content]) => ({ path, content }));
  return { runner: suite.runner, files };
}
