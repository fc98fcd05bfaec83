import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RangeSet } from "../src/range-set.mjs";

describe("RangeSet with other numbers", () => {
  it("holds ranges in order", () => {
    assert.deepEqual(RangeSet.of([20, 30], [5, 6], [7, 7], [25, 40]).ranges, [
      [5, 7],
      [20, 40],
    ]);
  });

  it("covers nothing outside", () => {
    const set = RangeSet.of([-2, 2], [10, 12]);
    assert.deepEqual(
      [-3, -2, 0, 3, 9, 11, 13].map((number) => set.covers(number)),
      [false, true, true, false, false, true, false],
    );
  });

  it("tells different sets apart", () => {
    assert.notDeepEqual(RangeSet.of([1, 3]), RangeSet.of([1, 4]));
    assert.notDeepEqual(RangeSet.of([1, 3]), RangeSet.of([1, 3], [5, 6]));
  });

  it("changes neither set that it unites", () => {
    const [first, second] = [RangeSet.of([1, 2]), RangeSet.of([2, 3])];
    first.union(second);
    assert.deepEqual([first.ranges, second.ranges], [[[1, 2]], [[2, 3]]]);
  });
});
