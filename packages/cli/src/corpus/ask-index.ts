import { InvalidInputError } from "@swarm/core";
import { askIndex, type RunIndex } from "@swarm/corpus";
import type { CliIO } from "../io.ts";
import { isFolder } from "../kind-of-file.ts";
import { usageError } from "../parse-command-line.ts";
import { clean } from "../view/line.ts";
import { count, formatted } from "../view/words.ts";

/** Silence longer than this, while logs are read, is explained. */
const SILENT_MS = 2_000;
const MOST_NAMED = 5;

/** Asks the index of the folder `runs`. stderr tells that logs are being read, and which could not be. */
export async function askRuns<T>(runs: string, io: CliIO, ask: (index: RunIndex) => T): Promise<T> {
  if (!isFolder(runs)) throw new InvalidInputError("--runs", `there is no folder ${runs}; name one that holds logs`);
  const say = (text: string) => io.stderr.write(`${text}\n`);
  let told = performance.now();
  const { answer, problems } = await askIndex(runs, (index) => ({ answer: ask(index), problems: index.problems() }), {
    onProgress(done, total) {
      if (performance.now() - told < SILENT_MS) return;
      told = performance.now();
      say(`… reading logs: ${formatted(done)} of ${formatted(total)}`);
    },
    onUnkept: (problem) => say(`swarm: the index of ${runs} is made for this once: it cannot be kept (${problem})`),
  });
  for (const { log, problem } of problems.slice(0, MOST_NAMED))
    say(`swarm: not counted: ${clean(`${log}: ${problem}`)}`);
  if (problems.length > MOST_NAMED) say(`swarm: and ${count(problems.length - MOST_NAMED, "more log")}`);
  return answer;
}

/** A limit of rows, as the index takes it: -1 for all. */
export function limitFrom(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw usageError("--limit", `has to be a whole number, and is ${JSON.stringify(text)}`);
  return Number(text) || -1;
}
