import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pageWindow } from "../src/page-window.mjs";

describe("pageWindow with other lists", () => {
  it("shows every item exactly once", () => {
    for (let total = 1; total <= 40; total++) {
      for (let size = 1; size <= 12; size++) {
        const { pages } = pageWindow({ total, size, page: 1 });
        let next = 1;
        for (let page = 1; page <= pages; page++) {
          const shown = pageWindow({ total, size, page });
          assert.equal(shown.first, next);
          assert.ok(shown.last >= shown.first && shown.last - shown.first < size);
          next = shown.last + 1;
        }
        assert.equal(next, total + 1);
      }
    }
  });

  it("has one page of one item", () => {
    assert.deepEqual(pageWindow({ total: 1, size: 1, page: 1 }), { page: 1, pages: 1, first: 1, last: 1 });
  });

  it("goes to the one page of an empty list", () => {
    assert.deepEqual(pageWindow({ total: 0, size: 5, page: 7 }), { page: 1, pages: 1, first: 0, last: 0 });
    assert.equal(pageWindow({ total: 30, size: 10, page: -4 }).page, 1);
  });

  it("refuses what is no whole number", () => {
    assert.throws(() => pageWindow({ total: 2.5, size: 10, page: 1 }), RangeError);
    assert.throws(() => pageWindow({ total: -1, size: 10, page: 1 }), RangeError);
    assert.throws(() => pageWindow({ total: 5, size: Number.NaN, page: 1 }), RangeError);
    assert.throws(() => pageWindow({ total: 5, size: 10, page: 1.5 }), RangeError);
  });
});
