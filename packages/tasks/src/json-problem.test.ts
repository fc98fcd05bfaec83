import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonProblem } from "./json-problem.ts";

test("points behind a whole value when something follows it", () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom("x", "}", "]", "'", "\u00a0"), (json, extra) => {
      const before = json.split("\n");
      const column = (before.at(-1) ?? "").length + 2;
      const text = `${json} ${extra}`;
      expect(jsonProblem(text)).toBe(`line ${before.length}, column ${column}: unexpected ${JSON.stringify(extra)}`);
    }),
  );
});

test("finds the end of what was cut off within an object", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), (value) => {
      expect(jsonProblem(JSON.stringify(value).slice(0, -1))).toMatch(/: unexpected end$/);
    }),
  );
});

test.each([
  ['{"a": 01}', 'line 1, column 8: unexpected "1"'],
  ['{"a" 1}', 'line 1, column 6: unexpected "1"'],
  ["{'a': 1}", 'line 1, column 2: unexpected "\'"'],
  ['[\n  1,\n  {"b": tru}\n]', 'line 3, column 9: unexpected "t"'],
  ['["a\\q"]', 'line 1, column 2: unexpected "\\""'],
  ["[1 {}]", 'line 1, column 4: unexpected "{"'],
  ["😀", 'line 1, column 1: unexpected "😀"'],
])("says where %j goes wrong", (text, problem) => {
  expect(() => JSON.parse(text)).toThrow(SyntaxError);
  expect(jsonProblem(text)).toBe(problem);
});
