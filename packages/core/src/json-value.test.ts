import fc from "fast-check";
import { expect, test } from "vitest";
import { JsonSchema } from "./contracts/json.ts";
import { canonicalJson, toJson } from "./json-value.ts";

const cycle: Record<string, unknown> = { name: "a" };
cycle["self"] = cycle;

test.each<[string, unknown, unknown]>([
  ["a cycle", cycle, { name: "a", self: "[Circular]" }],
  ["the same object twice is no cycle", [cycle["name"], [1], [1]], ["a", [1], [1]]],
  ["a BigInt", { n: 12n }, { n: "[BigInt 12]" }],
  ["a function and a class", [function work() {}, class A {}], ["[Function work]", "[Function A]"]],
  ["a Map and a Set", [new Map([["k", 1n]]), new Set([1])], [[["k", "[BigInt 1]"]], [1]]],
  ["a Date", [new Date(0), new Date(Number.NaN)], ["1970-01-01T00:00:00.000Z", "[Invalid Date]"]],
  ["undefined", { a: undefined, b: [undefined] }, { b: [null] }],
  ["numbers without a JSON form", [Number.NaN, Number.POSITIVE_INFINITY], ["[Number NaN]", "[Number Infinity]"]],
  ["a lone surrogate", "a\ud800b", "a\ufffdb"],
  ["bytes", new Uint8Array(3), "[Bytes 3]"],
  ["an error", new TypeError("no"), { name: "TypeError", message: "no" }],
  [
    "a getter that throws",
    Object.defineProperty({}, "x", {
      enumerable: true,
      get: () => {
        throw new Error("no");
      },
    }),
    { x: "[Thrown no]" },
  ],
  [
    "a class instance",
    new (class Point {
      x = 1;
    })(),
    { x: 1 },
  ],
  ["a symbol", Symbol("s"), "[Symbol(s)]"],
])("%s has a JSON form", (_, value, json) => {
  expect(toJson(value)).toEqual(json);
});

test("anything becomes JSON that reads back the same", () => {
  fc.assert(
    fc.property(
      fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true, withTypedArray: true }),
      (value) => {
        const json = toJson(value);
        expect(JsonSchema.safeParse(json).success).toBe(true);
        expect(toJson(JSON.parse(JSON.stringify(json)))).toEqual(json);
      },
    ),
  );
});

test("canonical JSON does not depend on the order of keys", () => {
  expect(canonicalJson({ b: [{ d: 1, c: 2 }], a: 1 })).toBe('{"a":1,"b":[{"c":2,"d":1}]}');
});

test("canonical JSON is the same value, sorted all through, whatever its keys", () => {
  const withOddKeys = fc.dictionary(fc.constantFrom("b", "10", "9", "a", "__proto__", "toJSON"), fc.jsonValue());
  fc.assert(
    fc.property(withOddKeys, (value) => {
      const text = canonicalJson(value);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(canonicalJson(Object.fromEntries(Object.entries(value).reverse()))).toBe(text);
    }),
  );
  expect(canonicalJson({ at: new Date(0) })).toBe('{"at":"1970-01-01T00:00:00.000Z"}');
});
