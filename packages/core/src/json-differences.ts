import type { Json } from "./contracts/json.ts";

/** A place where two JSON values differ, such as `signals.testsPassed` or `tools.0.name`; undefined where one has nothing there. */
export type Difference = { path: string; before: Json | undefined; after: Json | undefined };

/** Each place where two values differ, innermost. Lists are compared index by index. */
export function differencesBetween(
  before: Json | undefined,
  after: Json | undefined,
  same: (a: string, b: string) => boolean = (a, b) => a === b,
  path = "",
): Difference[] {
  if (isComposed(before) && isComposed(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].flatMap((key) =>
      differencesBetween(fieldOf(before, key), fieldOf(after, key), same, path === "" ? key : `${path}.${key}`),
    );
  }
  const equal =
    typeof before === "string" && typeof after === "string"
      ? same(before, after)
      : JSON.stringify(before) === JSON.stringify(after);
  return equal ? [] : [{ path, before, after }];
}

function isComposed(value: Json | undefined): value is Json[] | Record<string, Json> {
  return typeof value === "object" && value !== null;
}

function fieldOf(value: Json[] | Record<string, Json>, key: string): Json | undefined {
  return Object.hasOwn(value, key) ? (value as Record<string, Json>)[key] : undefined;
}
