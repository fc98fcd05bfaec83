import { resolve } from "node:path";
import { type RunRow, SORTS, type Sort } from "@swarm/corpus";
import { askRuns, limitFrom } from "../corpus/ask-index.ts";
import { filterFrom } from "../corpus/filter.ts";
import { EXIT } from "../exit-codes.ts";
import type { OptionsOf } from "../flags.ts";
import type { CliIO } from "../io.ts";
import { oneOf } from "../one-of.ts";
import { line, oneLine } from "../view/line.ts";
import { printLines } from "../view/screen.ts";
import { table } from "../view/table.ts";
import { count, formatted } from "../view/words.ts";

/** `swarm ls`: the runs of a folder that fit, as a table or as JSON. */
export async function ls(options: OptionsOf<"ls">, io: CliIO): Promise<number> {
  const filter = filterFrom(options);
  const sort = oneOf("--sort", options.sort, Object.keys(SORTS) as Sort[]);
  const limit = limitFrom(options.limit);
  const { rows, all } = await askRuns(resolve(io.cwd, options.runs), io, (index) => {
    return { rows: index.list(filter, { sort, limit }), all: index.count(filter) };
  });
  if (options.json) {
    io.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
    return EXIT.ok;
  }
  const [head = "", ...lines] = table([HEAD, ...rows.map(cells)]);
  printLines(io.stdout, [line(head, "bold"), ...lines.map((text) => line(text))]);
  if (rows.length < all) io.stderr.write(`${formatted(rows.length)} of ${count(all, "run")}; --limit 0 lists all\n`);
  return EXIT.ok;
}

const HEAD = ["run", "started", "task", "team", "outcome", "repairs", "calls", "tokens", "cost", "failed by"];

function cells(run: RunRow): string[] {
  return [
    run.runId,
    run.startedAt?.slice(0, 16).replace("T", " ") ?? "",
    oneLine(run.taskId, 40),
    `${run.team}@${run.teamVersion}`,
    run.outcome,
    formatted(run.repairs),
    formatted(run.modelCalls),
    formatted(run.input + run.output),
    run.usd === null ? "not known" : `$${run.usd.toFixed(4)}`,
    oneLine(run.signature ?? "", 80),
  ];
}
