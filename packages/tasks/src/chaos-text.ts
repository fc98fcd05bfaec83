import type { Random } from "./random.ts";

/** Paths that must not be reachable. All end in one telling name, so that a file that got out is found and harms nothing. */
export const OUTSIDE: readonly string[] = [
  "../swarm-chaos-outside.txt",
  "/swarm-chaos-outside.txt",
  "src/../../swarm-chaos-outside.txt",
  "C:\\swarm-chaos-outside.txt",
  "..\\swarm-chaos-outside.txt",
  "./swarm-chaos-outside.txt/../../swarm-chaos-outside.txt",
];

/** Characters that programs trip over. */
const ODD = [
  "\u0000", // NUL
  "\ud83d", // half of a pair
  "\udc00", // the other half, first
  "\ufeff", // byte order mark
  "\u202e", // turns the direction of writing
  "\u2028", // a line end to some
  "e\u0301", // a letter of two code points
  "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}", // one picture of five
  "\u001b[31m", // a terminal's colour
  "\r",
  "\r\n",
  "İ", // longer in lower case
  "$HOME",
  "%s%n",
  "</tool_result>",
  "\u{10ffff}",
];

/** A short text of odd characters. */
export function chaosText(random: Random): string {
  return Array.from({ length: 1 + random.below(6) }, () => random.pick(ODD)).join("x");
}
