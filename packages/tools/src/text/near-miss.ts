import { type Bytes, textOfBytes } from "./bytes.ts";
import type { Line } from "./lines.ts";
import { numbered } from "./numbered.ts";

const MOST_LINES = 30;
const LEAST_LIKENESS = 0.5;

/**
 * For lines that are not in a file as they were given: those that come closest, with their numbers, and below each one that
 * differs the line that was looked for. Null when nothing in the file is like them.
 */
export function nearMiss(lines: readonly Line[], wanted: readonly Bytes[]): string | null {
  const start = closestStart(lines, wanted);
  if (start === null) return null;
  const shown: string[] = [];
  let onlySpace = true;
  for (const [offset, text] of wanted.slice(0, MOST_LINES).entries()) {
    const line = lines[start + offset];
    if (line) shown.push(numbered(start + offset + 1, textOfBytes(line.text)));
    if (line?.text === text) continue;
    shown.push(`${(line ? "not" : "no more").padStart(6)}\t${numbered(0, textOfBytes(text)).slice(7)}`);
    onlySpace &&= line !== undefined && dense(line.text) === dense(text);
  }
  if (wanted.length > MOST_LINES) shown.push(`[… ${wanted.length - MOST_LINES} more lines …]`);
  else if (onlySpace) shown.push("The difference is in white space: indentation, tabs or trailing blanks.");
  return shown.join("\n");
}

/** Index of the line where `wanted` would begin: where most of its lines stand but for their indentation. */
function closestStart(lines: readonly Line[], wanted: readonly Bytes[]): number | null {
  const places = Map.groupBy(lines.keys(), (index) => (lines[index] as Line).text.trim());
  places.delete("");
  const votes = new Map<number, number>();
  for (const [offset, text] of wanted.entries()) {
    for (const place of places.get(text.trim()) ?? []) {
      if (place >= offset) votes.set(place - offset, (votes.get(place - offset) ?? 0) + 1);
    }
  }
  const best = [...votes].sort(([one, count], [other, otherCount]) => otherCount - count || one - other)[0];
  return best ? best[0] : mostAlike(lines, wanted);
}

/** The same by the line that says most, the longest, for when no line stands as it is. */
function mostAlike(lines: readonly Line[], wanted: readonly Bytes[]): number | null {
  const telling = wanted.reduce((longest, text) => (text.trim().length > longest.trim().length ? text : longest), "");
  const pairs = pairsOf(telling);
  let best: number | null = null;
  let most = 0;
  for (const [index, line] of lines.entries()) {
    const likeness = likenessOf(pairs, pairsOf(line.text));
    if (likeness >= LEAST_LIKENESS && likeness > most) {
      best = index;
      most = likeness;
    }
  }
  return best === null ? null : Math.max(0, best - wanted.indexOf(telling));
}

function pairsOf(text: Bytes): Set<string> {
  const letters = dense(text).slice(0, 400);
  const pairs = new Set<string>();
  for (let index = 0; index + 1 < letters.length; index++) pairs.add(letters.slice(index, index + 2));
  return pairs;
}

/** Dice's coefficient: 1 for equal sets, 0 for sets without a common member. */
function likenessOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let common = 0;
  for (const member of one) if (other.has(member)) common += 1;
  return common === 0 ? 0 : (2 * common) / (one.size + other.size);
}

function dense(text: Bytes): Bytes {
  return text.replace(/\s+/g, "");
}
