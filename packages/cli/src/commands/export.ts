import { closeSync, openSync, readSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import { createRedactor, didYouMean, InvalidInputError } from "@swarm/core";
import { cardText, type DataCard, Export, FORMATS, type Format } from "@swarm/corpus";
import { filterFrom } from "../corpus/filter.ts";
import { sourcesOf } from "../corpus/sources.ts";
import { writeRows, writeRowsFile } from "../corpus/write-rows.ts";
import { EXIT } from "../exit-codes.ts";
import type { OptionsOf } from "../flags.ts";
import type { CliIO, Interrupt } from "../io.ts";
import { isFolder, isRegularFile } from "../kind-of-file.ts";
import { usageError } from "../parse-command-line.ts";
import { requireWritable } from "../require-writable.ts";
import { loadSettings } from "../settings/load-settings.ts";
import { secretsOf } from "../settings/secrets.ts";
import { clean } from "../view/line.ts";
import { count, formatted } from "../view/words.ts";

type Options = OptionsOf<"export">;

const LOG_BEGIN = '{"schema":';

/** `swarm export`: rows of finished runs on stdout or in a file, and what they are on stderr and in a data card. */
export async function exportCommand(names: readonly string[], options: Options, io: CliIO): Promise<number> {
  const format = formatNamed(options.format);
  const filter = filterFrom(options);
  const [out, card] = [options.out, options.card].map((file) => (file === undefined ? null : resolve(io.cwd, file)));
  if (options.json && !out) throw usageError("--json", "needs --out: the rows are on stdout otherwise");
  if (out) requireFile("--out", out);
  if (card) requireFile("--card", card);
  const runs = resolve(io.cwd, options.runs);
  if (names.length === 0 && !isFolder(runs))
    throw new InvalidInputError("--runs", `there is no folder ${runs}; name one that holds logs`);
  if (out !== null && out === card) throw usageError("--card", "is the file of --out; name another one");
  const sources = await sourcesOf(names, runs, io.cwd);
  const redact = createRedactor(secretsOf(await loadSettings({}, io)));

  const made = new Export(sources, {
    format,
    filter,
    redact,
    keepDuplicates: options["keep-duplicates"],
    onProblem: (log, problem) => io.stderr.write(`swarm: not exported: ${clean(redact(`${log}: ${problem}`))}\n`),
  });
  const interrupted = await untilInterrupted(io, (signal) =>
    out ? writeRowsFile(made, out, signal) : writeRows(made, io.stdout, signal),
  );
  if (interrupted) return EXIT[interrupted];
  if (card) await writeFile(card, redact(cardText(made.card)));
  if (options.json) io.stdout.write(redact(`${JSON.stringify(made.card, null, 2)}\n`));
  io.stderr.write(`${summary(made.card, out ? relative(io.cwd, out) : "stdout")}\n`);
  return made.card.problems === 0 ? EXIT.ok : EXIT.notPassed;
}

function formatNamed(name: string | undefined): Format {
  const names = FORMATS.map((format) => format.name);
  if (name === undefined) throw usageError("--format", `is missing: ${names.join(", ")}`);
  const found = FORMATS.find((format) => format.name === name);
  if (found) return found;
  throw usageError(
    "--format",
    `${JSON.stringify(name)} is no format${didYouMean(name, names) || `: ${names.join(", ")}`}`,
  );
}

function requireFile(flag: string, file: string): void {
  if (isFolder(file)) throw new InvalidInputError(flag, `${file} is a folder; name a file`);
  requireWritable(flag, dirname(file));
  if (!isFolder(dirname(file))) throw new InvalidInputError(flag, `there is no folder ${dirname(file)}`);
  if (isLog(file))
    throw new InvalidInputError(flag, `${file} is a log, which nothing could bring back; name another file`);
}

/** Whether there is a file that begins as logs do, and journals of batches. */
function isLog(file: string): boolean {
  if (!isRegularFile(file)) return false;
  const begin = Buffer.alloc(LOG_BEGIN.length);
  const descriptor = openSync(file, "r");
  try {
    readSync(descriptor, begin);
  } finally {
    closeSync(descriptor);
  }
  return begin.toString() === LOG_BEGIN;
}

async function untilInterrupted(io: CliIO, work: (signal: AbortSignal) => Promise<void>): Promise<Interrupt | null> {
  const abort = new AbortController();
  let interrupt: Interrupt | null = null;
  const stop = io.onInterrupt((signal) => {
    interrupt = signal;
    abort.abort();
  });
  try {
    await work(abort.signal);
  } catch (error) {
    if (!abort.signal.aborted) throw error;
  } finally {
    stop();
  }
  return interrupt;
}

function summary({ rows, runs, duplicates, filtered, problems }: DataCard, where: string): string {
  const refused = Object.values(filtered).reduce((sum, one) => sum + one, 0);
  const rest = [
    ...(duplicates > 0 ? [`${count(duplicates, "equal row")} left out`] : []),
    ...(refused > 0 ? [`${count(refused, "run")} filtered out`] : []),
    ...(problems > 0 ? [`${count(problems, "log")} not exported`] : []),
  ];
  return [`${where}: ${count(rows, "row")} of ${formatted(runs)} runs`, ...rest].join(", ");
}
