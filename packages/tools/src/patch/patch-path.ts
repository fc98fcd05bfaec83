import { type Bytes, fileOfBytes } from "../text/bytes.ts";
import { ToolError } from "../tool-error.ts";

const ESCAPES: Record<string, Bytes> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  '"': '"',
};
const QUOTED = /^"((?:[^"\\]|\\(?:[0-7]{3}|[abfnrtv"\\]))*)"/;

/** The path at the start of a header's rest, which git puts in quotes with octal escapes where it is unusual. */
export function readPath(text: Bytes): Bytes {
  return splitQuoted(text)?.path ?? text.replace(/\t.*$/, "");
}

/** Both paths of a `diff --git` line's rest. Null where they cannot be told apart, which other headers then have to do. */
export function readPathPair(rest: Bytes): [Bytes, Bytes] | null {
  const first = splitQuoted(rest);
  if (first) return [first.path, readPath(first.rest.slice(1))];
  const quote = rest.indexOf(' "');
  if (quote > 0) return [rest.slice(0, quote), readPath(rest.slice(quote + 1))];
  // Unquoted paths may hold blanks, but without a rename both are the same but for their prefix.
  const middle = (rest.length - 1) / 2;
  const [one, other] = [rest.slice(0, middle), rest.slice(middle + 1)];
  if (rest[middle] === " " && withoutPrefix(one) === withoutPrefix(other)) return [one, other];
  const parts = rest.split(" ");
  return parts.length === 2 ? [parts[0] as Bytes, parts[1] as Bytes] : null;
}

/** The two sides' workspace paths: git's `a/` and `b/` are taken off where both sides have them; /dev/null is no path. */
export function workspacePaths(old: Bytes, now: Bytes): [string | null, string | null] {
  const isPrefixed = (path: Bytes, prefix: string) => path === "/dev/null" || path.startsWith(prefix);
  const prefixed = isPrefixed(old, "a/") && isPrefixed(now, "b/");
  const pathOf = (path: Bytes) => (path === "/dev/null" ? null : pathText(prefixed ? path.slice(2) : path));
  return [pathOf(old), pathOf(now)];
}

/** A path as text. One that is not UTF-8 has no name that a model or a log could say. */
export function pathText(path: Bytes): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(fileOfBytes(path));
  } catch (error) {
    throw new ToolError("PATH_NOT_UTF8", `the path ${JSON.stringify(path)} is not UTF-8; rename the file first`, {
      cause: error,
    });
  }
}

function splitQuoted(text: Bytes): { path: Bytes; rest: Bytes } | null {
  const match = QUOTED.exec(text);
  if (!match) return null;
  const path = (match[1] as string).replace(/\\([0-7]{3}|.)/g, (_, code: string) =>
    code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8) & 0xff) : (ESCAPES[code] as Bytes),
  );
  return { path, rest: text.slice(match[0].length) };
}

function withoutPrefix(path: Bytes): Bytes {
  return path.replace(/^[ab]\//, "");
}
