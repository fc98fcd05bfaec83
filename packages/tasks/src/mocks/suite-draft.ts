import type { MockDelivery } from "../read-task-file.ts";

/** The suite of a delivery in the form in which a role answers with one; null where the task brings its tests. */
export function suiteDraft({ suite }: MockDelivery) {
  if (!suite) return null;
  const files = Object.entries(suite.files).map(([path, content]) => ({ path, content }));
  return { runner: suite.runner, files };
}
