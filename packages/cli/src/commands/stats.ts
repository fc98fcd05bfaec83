import { resolve } from "node:path";
import type { Failure, Rate, Stats } from "@swarm/corpus";
import { askRuns, limitFrom } from "../corpus/ask-index.ts";
import { filterFrom } from "../corpus/filter.ts";
import { EXIT } from "../exit-codes.ts";
import type { OptionsOf } from "../flags.ts";
import type { CliIO } from "../io.ts";
import { type Line, line, oneLine } from "../view/line.ts";
import { printLines } from "../view/screen.ts";
import { table } from "../view/table.ts";
import { count, formatted } from "../view/words.ts";

/** `swarm stats`: how the runs of a folder ended, by what they failed and where, what they cost, and who passed how often. */
export async function stats(options: OptionsOf<"stats">, io: CliIO): Promise<number> {
  const filter = filterFrom(options);
  const limit = limitFrom(options.limit);
  const found = await askRuns(resolve(io.cwd, options.runs), io, (index) => index.stats(filter, { limit }));
  if (options.json) io.stdout.write(`${JSON.stringify(found, null, 2)}\n`);
  else printLines(io.stdout, statsLines(found));
  return EXIT.ok;
}

function statsLines({ total, outcomes, faultClasses, signatures, deaths, roles, tasks, models, teams }: Stats): Line[] {
  const tokens = `${formatted(total.input)} tokens in, ${formatted(total.output)} out`;
  return [
    line(`${count(total.runs, "run")}, passed: ${percent(total)}`, "bold"),
    line(`${count(total.modelCalls, "model call")}, ${tokens}, ${money(total)}`),
    ...section(
      ["outcome", "runs"],
      outcomes.map(({ name, runs }) => [name, formatted(runs)]),
    ),
    ...failures("fault class", faultClasses),
    ...failures("failure signature", signatures),
    ...section(
      ["ended in", "step", "runs"],
      deaths.map(({ program, step, runs }) => [program, step, formatted(runs)]),
    ),
    ...section(
      ["role", "calls", "input", "output", "cost"],
      roles.map((role) => [role.name, ...[role.calls, role.input, role.output].map(formatted), money(role)]),
    ),
    ...rates("task", tasks),
    ...rates("model", models),
    ...rates("team", teams),
  ];
}

function failures(name: string, rows: readonly Failure[]): Line[] {
  return section(
    [name, "times", "runs", "ended by it"],
    rows.map(({ name, failures, runs, ended }) => [name, ...[failures, runs, ended].map(formatted)]),
  );
}

function rates(name: string, rows: readonly Rate[]): Line[] {
  return section(
    [name, "runs", "passed", "pass rate"],
    rows.map((rate) => [rate.name, formatted(rate.runs), formatted(rate.passed), percent(rate)]),
  );
}

function section(head: string[], rows: readonly string[][]): Line[] {
  if (rows.length === 0) return [];
  const [first = "", ...lines] = table([head, ...rows.map((row) => row.map((cell) => oneLine(cell, 100)))]);
  return [line(""), line(first, "bold"), ...lines.map((text) => line(text))];
}

function percent({ judged, passed }: Rate): string {
  if (judged === 0) return "none judged";
  return `${((100 * passed) / judged).toFixed(1)} % of ${formatted(judged)} judged`;
}

function money({ usd, unpriced }: { usd: number; unpriced: number }): string {
  return `$${usd.toFixed(4)}${unpriced > 0 ? `, and ${count(unpriced, "run")} of unknown cost` : ""}`;
}
