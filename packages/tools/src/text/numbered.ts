import { headAndTail } from "@swarm/core";

const LONGEST_LINE = 2_000;

/** A line as all tools show it: its number, a tab, its text. */
export function numbered(number: number, text: string, longest = LONGEST_LINE): string {
  return `${String(number).padStart(6)}\t${headAndTail(text, longest)}`;
}

/** `line 4`, or `lines 4 and 9`, or `lines 4, 9, 12 and 30 more`. */
export function lineNumbers(numbers: readonly number[]): string {
  const shown = numbers.slice(0, 20);
  const rest = numbers.length - shown.length;
  if (numbers.length === 1) return `line ${numbers[0]}`;
  const last = rest > 0 ? `${rest} more` : shown.pop();
  return `lines ${shown.join(", ")} and ${last}`;
}
