/** A way to do a thing, timed over `rounds` rounds of `count` units each. */
export type Contender = {
  name: string;
  /** What comes before a round and is not timed. */
  before?(): Promise<void> | void;
  round(): Promise<void> | void;
  /** What comes after a round and is not timed. */
  after?(): Promise<void> | void;
};

/**
 * Runs the contenders in turn, round by round, so that a machine whose speed drifts is the same for all of them, and prints
 * the median of each with its ratio to the first.
 */
export async function compare(
  title: string,
  unit: string,
  count: number,
  contenders: readonly Contender[],
  rounds = 7,
): Promise<void> {
  console.error(title);
  const medians = await measure(contenders, rounds);
  const first = medians[0]?.ms ?? 1;
  const rows = medians.map(({ name, ms }) => [
    name,
    (ms / count).toFixed(4),
    Math.round((count / ms) * 1000).toLocaleString("en"),
    (ms / first).toFixed(2),
  ]);
  printTable(title, ["way", `ms a ${unit}`, `${unit}s a second`, "ratio"], rows);
}

/** From one word on what is being measured to the next, where that takes a while. */
const TOLD_EVERY_MS = 2_000;

/** The median of each contender's rounds in milliseconds. Tells on standard error how far it is. */
export async function measure(contenders: readonly Contender[], rounds = 7): Promise<{ name: string; ms: number }[]> {
  const times = new Map<string, number[]>(contenders.map(({ name }) => [name, []]));
  let told = performance.now();
  for (let round = 0; round <= rounds; round++) {
    for (const { name, before, round: run, after } of contenders) {
      if (performance.now() - told > TOLD_EVERY_MS) {
        console.error(`  round ${round} of ${rounds}: ${name}`);
        told = performance.now();
      }
      await before?.();
      const started = performance.now();
      await run();
      if (round > 0) times.get(name)?.push(performance.now() - started); // round 0 warms up
      await after?.();
    }
  }
  return contenders.map(({ name }) => ({ name, ms: median(times.get(name) ?? []) }));
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export function printTable(title: string, head: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = head.map((cell, column) => Math.max(cell.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  console.log(`\n${title}\n`);
  console.log([line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n"));
}
