import { type Bytes, textOfBytes } from "../text/bytes.ts";
import type { Line } from "../text/lines.ts";
import { nearMiss } from "../text/near-miss.ts";
import { lineNumbers } from "../text/numbered.ts";
import { ToolError } from "../tool-error.ts";
import { type Hunk, newSide, oldSide, type PatchLine } from "./patch.ts";

type Range = { from: number; until: number };

/**
 * The index of the line where a hunk belongs. Lines are compared in full but for their ends: there is no fuzz, so a hunk
 * cannot land at a place that is only similar. Of several places the one that the header's number names, with or without
 * `drift` (how far the hunk before it was off), or the one below its anchors; otherwise it is refused as ambiguous.
 */
export function placeHunk(lines: readonly Line[], hunk: Hunk, drift: number): number {
  const old = oldSide(hunk);
  if (old.length === 0) return placeWithoutContext(lines, hunk);
  const within = hunk.anchors.reduce((range, anchor) => below(lines, range, anchor), { from: 0, until: lines.length });
  const places = placesOf(lines, old, needsEnd(hunk)).filter((at) => at >= within.from && at < within.until);
  if (places.length === 1) return places[0] as number;
  if (places.length === 0) throw notFound(lines, hunk, within);
  const { start } = hunk;
  const named = start === null ? [] : places.filter((at) => at === start - 1 || at === start - 1 + drift);
  if (named.length === 1) return named[0] as number;
  throw new ToolError(
    "HUNK_AMBIGUOUS",
    `it fits at ${lineNumbers(places.map((at) => at + 1))}${start === null ? "" : `, and its header says line ${start}`}. Give more context lines, or the right line number in its header`,
  );
}

function placeWithoutContext(lines: readonly Line[], hunk: Hunk): number {
  if (lines.length === 0 || hunk.atEnd) return lines.length;
  throw new ToolError(
    "HUNK_AMBIGUOUS",
    "it only adds lines, which fit anywhere in a file that has lines already. Give the lines around the place as context",
  );
}

/** Whether the hunk speaks of the file's end, so that it can only stand there. */
function needsEnd(hunk: Hunk): boolean {
  return hunk.atEnd || hunk.lines.some(({ end }) => end === "");
}

function placesOf(lines: readonly Line[], wanted: readonly PatchLine[], atEnd: boolean): number[] {
  const last = lines.length - wanted.length;
  const places: number[] = [];
  for (let at = atEnd ? Math.max(last, 0) : 0; at <= last; at++) {
    if (wanted.every(({ text }, offset) => text === lines[at + offset]?.text)) places.push(at);
  }
  return places;
}

/** The lines of the block that `anchor` opens: up to the next line indented no deeper, closing brackets aside. */
function below(lines: readonly Line[], { from, until }: Range, anchor: Bytes): Range {
  const texts = lines.slice(from, until).map(({ text }) => text.trim());
  const indexes = (test: (text: Bytes) => boolean) => [...texts.keys()].filter((index) => test(texts[index] as Bytes));
  const equal = indexes((text) => text === anchor);
  const found = equal.length > 0 ? equal : indexes((text) => text.startsWith(anchor));
  if (found.length !== 1) {
    const where = found.length === 0 ? "nowhere in the file" : `at ${lineNumbers(found.map((at) => from + at + 1))}`;
    throw new ToolError(
      found.length === 0 ? "HUNK_NOT_FOUND" : "HUNK_AMBIGUOUS",
      `the line behind its @@ (${textOfBytes(anchor)}) stands ${where}. Give a line that stands there once, or @@ alone`,
    );
  }
  const opens = from + (found[0] as number);
  const depth = indentOf(lines[opens]?.text ?? "");
  let end = opens + 1;
  while (end < until && isDeeper(lines[end]?.text ?? "", depth)) end += 1;
  return { from: opens, until: end };
}

function isDeeper(text: Bytes, depth: number): boolean {
  return text.trim() === "" || indentOf(text) > depth || /^\s*[)\]}]/.test(text);
}

function indentOf(text: Bytes): number {
  return text.length - text.trimStart().length;
}

function notFound(lines: readonly Line[], hunk: Hunk, within: Range): ToolError {
  const old = oldSide(hunk);
  const elsewhere = placesOf(lines, old, false).map((at) => at + 1);
  const done = hunk.lines.some(({ kind }) => kind === "add") ? placesOf(lines, newSide(hunk), false) : [];
  let problem = "its context and removed lines are not in the file";
  if (elsewhere.length > 0 && needsEnd(hunk)) {
    problem = `it says that the file ends with it, but its lines are at ${lineNumbers(elsewhere)} and others follow`;
  } else if (elsewhere.length > 0) {
    problem = `it is not below the line behind its @@ (line ${within.from + 1}), but its lines are at ${lineNumbers(elsewhere)}`;
  } else if (done.length === 1) {
    problem = `${problem}, but what it makes of them is, at line ${(done[0] as number) + 1}: it may have been applied already`;
  } else {
    const near = nearMiss(
      lines,
      old.map(({ text }) => text),
    );
    if (near !== null) problem = `${problem}. The closest lines, as they are:\n${near}\n`;
  }
  return new ToolError("HUNK_NOT_FOUND", `${problem}. Read the file again and write the hunk from what is there`);
}
