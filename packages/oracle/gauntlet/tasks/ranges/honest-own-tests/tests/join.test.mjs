import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { RangeSet } from "../src/range-set.mjs";
import { numbers } from "./numbers.mjs";

let set;
beforeEach(() => {
  set = RangeSet.of([1, 4], [3, 8]);
});

test("joined ranges cover what each of them covers", () => {
  assert.ok(numbers(1, 8).every((number) => set.covers(number)));
});
