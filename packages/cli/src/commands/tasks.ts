import { builtinDemos, builtinTasks } from "@swarm/tasks";
import { EXIT } from "../exit-codes.ts";
import type { OptionsOf } from "../flags.ts";
import type { CliIO } from "../io.ts";
import { table } from "../view/table.ts";

/** `swarm tasks`: the built-in tasks, the easiest first, and apart from them the demos. */
export async function tasks({ json }: OptionsOf<"tasks">, io: CliIO): Promise<number> {
  const [tasks, demos] = await Promise.all([builtinTasks(), builtinDemos()]);
  if (json) {
    io.stdout.write(`${JSON.stringify({ tasks, demos }, null, 2)}\n`);
    return EXIT.ok;
  }
  const rows = tasks.map(({ id, language, difficulty, failureMode, title }) => [
    id,
    language ?? "",
    difficulty === null ? "" : String(difficulty),
    failureMode ?? "",
    title,
  ]);
  const lines = [
    ...table([["task", "language", "difficulty", "first fails by", "title"], ...rows]),
    "",
    ...table([["demo", "shows"], ...demos.map(({ id, shows }) => [id, shows])]),
  ];
  io.stdout.write(`${lines.join("\n")}\n`);
  return EXIT.ok;
}
