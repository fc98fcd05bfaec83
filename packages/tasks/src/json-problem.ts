const token = (pattern: string) => new RegExp(`[ \\t\\r\\n]*(?:${pattern})`, "uy");
const OPEN_ARRAY = token("\\[");
const CLOSE_ARRAY = token("\\]");
const OPEN_OBJECT = token("\\{");
const CLOSE_OBJECT = token("\\}");
const COMMA = token(",");
const COLON = token(":");
const STRING = token('"(?:[^"\\\\\\p{Cc}]|[\\u007f-\\u009f]|\\\\["\\\\/bfnrt]|\\\\u[0-9a-fA-F]{4})*"');
const SCALAR = token("true|false|null|-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?");
const SPACE = token("");

/**
 * Where a text stops being JSON and what stands there, such as `line 3, column 7: unexpected "h"`. Only for a text that
 * `JSON.parse` refused, whose own message does not always say where.
 */
export function jsonProblem(text: string): string {
  let at = 0;

  function take(pattern: RegExp): boolean {
    pattern.lastIndex = at;
    const found = pattern.test(text);
    if (found) at = pattern.lastIndex;
    return found;
  }
  function items(item: () => boolean, close: RegExp): boolean {
    if (take(close)) return true;
    do {
      if (!item()) return false;
    } while (take(COMMA));
    return take(close);
  }
  function value(): boolean {
    if (take(OPEN_ARRAY)) return items(value, CLOSE_ARRAY);
    if (take(OPEN_OBJECT)) return items(() => take(STRING) && take(COLON) && value(), CLOSE_OBJECT);
    return take(STRING) || take(SCALAR);
  }

  value();
  take(SPACE);
  const before = text.slice(0, at).split("\n");
  const place = `line ${before.length}, column ${(before.at(-1) ?? "").length + 1}`;
  const found = String.fromCodePoint(text.codePointAt(at) ?? 0);
  return `${place}: ${at === text.length ? "unexpected end" : `unexpected ${JSON.stringify(found)}`}`;
}
