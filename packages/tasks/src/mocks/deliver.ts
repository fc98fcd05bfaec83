import type { Answer } from "@swarm/core/testing";
import type { MockDelivery } from "../read-task-file.ts";
import { look, write } from "./calls.ts";

/**
 * The answers of a role that works with tools, from its first call at a place on (`<stepId>|<role>|<attempt>`): it looks at the
 * files, writes them, and says what was done. A delivery without files is a look around.
 */
export function deliver(
  place: string,
  delivery: MockDelivery,
  { files, says }: MockDelivery["wrong"],
): Record<string, Answer> {
  const done = Object.keys(files).length === 0 ? [] : [write(files)];
  const answers = [look(delivery, files), ...done, says];
  return Object.fromEntries(answers.map((answer, nth) => [`${place}.${nth}`, answer]));
}
