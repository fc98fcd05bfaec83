import { ToolError } from "../tool-error.ts";

/**
 * A file's bytes as a string of one character a byte (Latin-1). Text operations on it can cut and join, and cannot change a
 * byte: a file that is not UTF-8 comes through an edit as it was.
 */
export type Bytes = string;

/** The byte order mark of UTF-8. */
export const BOM: Bytes = "\xef\xbb\xbf";

export function bytesOfFile(data: Uint8Array): Bytes {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("latin1");
}

/** What a model wrote, as UTF-8. */
export function bytesOfText(text: string): Bytes {
  if (!text.isWellFormed()) {
    throw new ToolError(
      "NOT_UNICODE",
      "the text holds half of a surrogate pair (\\ud800 to \\udfff), which no file can hold",
    );
  }
  return Buffer.from(text, "utf8").toString("latin1");
}

export function fileOfBytes(bytes: Bytes): Uint8Array {
  return Buffer.from(bytes, "latin1");
}

/** For reading only: bytes that are not UTF-8 become U+FFFD. */
export function textOfBytes(bytes: Bytes): string {
  return Buffer.from(bytes, "latin1").toString("utf8");
}

export function isUtf8(bytes: Bytes): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(fileOfBytes(bytes));
    return true;
  } catch {
    return false;
  }
}
