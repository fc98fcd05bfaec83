import { ToolError } from "../tool-error.ts";
import { type Bytes, textOfBytes } from "./bytes.ts";
import { type LineEnd, splitLines, usualEnd } from "./lines.ts";
import { nearMiss } from "./near-miss.ts";
import { lineNumbers } from "./numbered.ts";

/** `at`: the lines, from 1, that the replaced texts began in. */
export type Replaced = { content: Bytes; at: number[] };

/**
 * Puts `now` in the place of `old`, which has to be in `content` exactly once, or at least once for `all`. Texts without a CR
 * are about lines and not about their ends: they match whatever the file's ends are, and each new line break is like the one
 * that it replaces, otherwise like most of the file. All other bytes stay as they are.
 */
export function replaceText(content: Bytes, old: Bytes, now: Bytes, all: boolean): Replaced {
  const literal = old.includes("\r") || now.includes("\r");
  const { text, ends } = literal ? { text: content, ends: null } : apartFromEnds(content);
  const places = placesOf(text, old, all ? old.length : 1);
  const at = places.map((place) => breaksIn(text.slice(0, place)) + 1);
  if (places.length === 0) throw notFound(content, old, now);
  if (places.length > 1 && !all) {
    throw new ToolError(
      "TEXT_AMBIGUOUS",
      `the old text is there ${places.length} times, beginning at ${lineNumbers(at)}. Give more lines around the one that is meant, or set all`,
    );
  }
  const pieces = text.split(old);
  const edited = pieces.join(now);
  return { content: ends ? withEnds(edited, endsAfter(pieces, old, now, ends, content)) : edited, at };
}

/** The text with LF for every line break, and the line breaks as they are. */
function apartFromEnds(content: Bytes): { text: Bytes; ends: LineEnd[] } {
  const lines = splitLines(content);
  return {
    text: lines.map(({ text, end }) => (end === "" ? text : `${text}\n`)).join(""),
    ends: lines.map(({ end }) => end).filter((end) => end !== ""),
  };
}

function endsAfter(
  pieces: readonly Bytes[],
  old: Bytes,
  now: Bytes,
  ends: readonly LineEnd[],
  content: Bytes,
): LineEnd[] {
  const usual = usualEnd(splitLines(content));
  const [oldBreaks, newBreaks] = [breaksIn(old), breaksIn(now)];
  const parts: LineEnd[][] = [];
  let next = 0;
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) {
      const gone = ends.slice(next, next + oldBreaks);
      parts.push(Array.from({ length: newBreaks }, (_, at) => gone[at] ?? usual));
      next += oldBreaks;
    }
    const kept = breaksIn(piece);
    parts.push(ends.slice(next, next + kept));
    next += kept;
  }
  return parts.flat();
}

function withEnds(text: Bytes, ends: readonly LineEnd[]): Bytes {
  return text
    .split("\n")
    .map((line, index) => line + (ends[index] ?? ""))
    .join("");
}

function placesOf(text: Bytes, wanted: Bytes, step: number): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + step)) places.push(at);
  return places;
}

function breaksIn(text: Bytes): number {
  return text.split("\n").length - 1;
}

function notFound(content: Bytes, old: Bytes, now: Bytes): ToolError {
  const { text } = apartFromEnds(content);
  if (old.includes("\r") && text.includes(old.replaceAll("\r\n", "\n"))) {
    return new ToolError(
      "TEXT_NOT_FOUND",
      "the old text is there with other line ends. Write both texts with \\n alone",
    );
  }
  const done = now === "" ? [] : placesOf(text, now, now.length);
  const near = nearMiss(splitLines(content), old.replace(/\n$/, "").split("\n"));
  const told = [
    "the old text is not in the file. It has to be there character for character, with its indentation.",
    ...(done.length > 0
      ? [`The new text is there, at ${lineNumbers(done.map((at) => breaksIn(text.slice(0, at)) + 1))}.`]
      : []),
    near === null
      ? `Nothing in the file is like ${JSON.stringify(textOfBytes(old).slice(0, 80))}.`
      : `The closest lines:\n${near}`,
  ];
  return new ToolError("TEXT_NOT_FOUND", told.join("\n"));
}
