import { equal, throws } from "node:assert/strict";
import { test } from "node:test";
import { deviation, mean, median, quantile } from "../src/stats.mjs";
import { near } from "./near.mjs";

test("mean of whole numbers", () => {
  equal(mean([2, 4, 9]), 5);
});

test("median of an odd and an even number of values", () => {
  equal(median([9, 1, 4]), 4);
  near(median([4, 1, 2, 9]), 3);
});

test("quantile between two values", () => {
  near(quantile([1, 2, 3, 4], 0.25), 1.75);
});

test("deviation of a population", () => {
  near(deviation([2, 4, 4, 4, 5, 5, 7, 9]), 2);
});

test("an empty array has no mean", () => {
  throws(() => mean([]), RangeError);
});

test("a quantile lies between 0 and 1", () => {
  throws(() => quantile([1], 1.5), RangeError);
});
