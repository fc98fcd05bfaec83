import { crc32 } from "node:zlib";
import type { LogHeader, RunEvent } from "../contracts/event.ts";

/** A line of the log, without its line feed: JSON whose last field is the checksum of all before it. */
export function writeLine(value: LogHeader | RunEvent): string {
  const text = JSON.stringify(value);
  return `${text.slice(0, -1)},"crc32":"${checksum(text)}"}`;
}

const SUFFIX = /,"crc32":"([0-9a-f]{8})"\}$/;

/** A line that is not as it was written. */
export class TornLine extends Error {}

/** The value of a line. Throws a {@link TornLine} when the line is not as it was written: a lost byte need not break the JSON. */
export function readLine(line: string): unknown {
  const match = SUFFIX.exec(line);
  if (!match) throw new TornLine("it does not end with a checksum");
  const text = `${line.slice(0, match.index)}}`;
  if (checksum(text) !== match[1]) throw new TornLine("its checksum does not fit");
  return JSON.parse(text);
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, "0");
}
