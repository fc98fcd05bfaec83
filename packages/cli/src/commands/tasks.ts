import { builtinTasks } from "@swarm/tasks";
import { EXIT } from "../exit-codes.ts";
import type { OptionsOf } from "../flags.ts";
import type { CliIO } from "../io.ts";
import { table } from "../view/table.ts";

/** `swarm tasks`: the built-in tasks, the easiest first. */
export async function tasks({ json }: OptionsOf<"tasks">, io: CliIO): Promise<number> {
  const entries = await builtinTasks();
  if (json) {
    io.stdout.write(`${JSON.stringify(entries, null, 2)}\n`);
    return EXIT.ok;
  }
  const rows = entries.map(({ id, language, difficulty, failureMode, title }) => [
    id,
    language ?? "",
    difficulty === null ? "" : String(difficulty),
    failureMode ?? "",
    title,
  ]);
  const lines = table([["task", "language", "difficulty", "first fails by", "title"], ...rows]);
  io.stdout.write(`${lines.join("\n")}\n`);
  return EXIT.ok;
}
