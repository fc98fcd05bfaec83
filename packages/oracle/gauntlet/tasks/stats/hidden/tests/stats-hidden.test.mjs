import { deepEqual, equal, throws } from "node:assert/strict";
import { test } from "node:test";
import { deviation, mean, median, quantile } from "../src/stats.mjs";

test("order is by number", () => {
  equal(median([10, 9, 100]), 10);
});

test("the array is left as it was", () => {
  const values = [3, 1, 2];
  equal(median(values), 2);
  deepEqual(values, [3, 1, 2]);
});

test("both ends are quantiles", () => {
  deepEqual([quantile([5, -7, 6], 0), quantile([5, -7, 6], 1)], [-7, 6]);
});

test("one value has no deviation", () => {
  equal(deviation([3.5]), 0);
});

test("an empty array has nothing", () => {
  for (const statistic of [mean, median, deviation, (values) => quantile(values, 0.5)]) {
    throws(() => statistic([]), RangeError);
  }
});
