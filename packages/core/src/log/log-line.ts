import { crc32 } from "node:zlib";
import type { LogHeader, RunEvent } from "../contracts/event.ts";

/** A line of the log, without its line feed: JSON whose last field is the checksum of all before it. */
export function writeLine(value: LogHeader | RunEvent): string {
  const text = JSON.stringify(value);
  return text.slice(0, -1) + ending(crc32(text));
}

/** A line that is not as it was written. */
export class TornLine extends Error {}

/** The value of a line. Throws a {@link TornLine} when the line is not as it was written: a lost byte need not break the JSON. */
export function readLine(line: Uint8Array): unknown {
  const bytes = Buffer.from(line.buffer, line.byteOffset, line.byteLength);
  const end = Math.max(0, bytes.length - ENDING);
  const fields = bytes.subarray(0, end);
  if (bytes.toString("latin1", end) !== ending(crc32("}", crc32(fields))))
    throw new TornLine("its checksum does not fit");
  return JSON.parse(`${fields}}`);
}

/** The last field, and the brace that closes the line: always of one length. */
function ending(checksum: number): string {
  return `,"crc32":"${checksum.toString(16).padStart(8, "0")}"}`;
}

const ENDING = ending(0).length;
