import type { Bytes } from "./bytes.ts";

/** How a line ends; only the last line of a file may end in nothing. A lone CR is part of the line. */
export type LineEnd = "\n" | "\r\n" | "";
export type Line = { text: Bytes; end: LineEnd };

/** Lines of a file as bytes, or as text where only reading it matters. */
export function splitLines(bytes: Bytes): Line[] {
  const lines: Line[] = [];
  let start = 0;
  while (start < bytes.length) {
    const feed = bytes.indexOf("\n", start);
    if (feed < 0) {
      lines.push({ text: bytes.slice(start), end: "" });
      break;
    }
    const crlf = feed > start && bytes[feed - 1] === "\r";
    lines.push({ text: bytes.slice(start, crlf ? feed - 1 : feed), end: crlf ? "\r\n" : "\n" });
    start = feed + 1;
  }
  return lines;
}

export function joinLines(lines: readonly Line[]): Bytes {
  return lines.map(({ text, end }) => text + end).join("");
}

/** The end that most lines have; LF where there is none to go by. */
export function usualEnd(lines: readonly { end: LineEnd | null }[]): "\n" | "\r\n" {
  let balance = 0;
  for (const { end } of lines) {
    if (end === "\r\n") balance += 1;
    else if (end === "\n") balance -= 1;
  }
  return balance > 0 ? "\r\n" : "\n";
}
