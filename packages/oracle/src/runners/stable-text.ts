import { stripVTControlCharacters } from "node:util";
import { headAndTail } from "@swarm/core";

/** Characters that are kept of one test's message. */
const MESSAGE_LIMIT = 4_000;

/** A runner's message as the same text on every run: no colour, no object addresses, well-formed and bounded. */
export function stableText(text: string): string {
  const plain = stripVTControlCharacters(text).toWellFormed();
  return headAndTail(plain.replace(/\bat 0x[0-9a-fA-F]+/g, "at 0x…").trim(), MESSAGE_LIMIT);
}
