import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pageWindow } from "../src/page-window.mjs";

describe("pageWindow", () => {
  it("gives the first page", () => {
    assert.deepEqual(pageWindow({ total: 25, size: 10, page: 1 }), { page: 1, pages: 3, first: 1, last: 10 });
  });

  it("ends the last page with the last item", () => {
    assert.deepEqual(pageWindow({ total: 25, size: 10, page: 3 }), { page: 3, pages: 3, first: 21, last: 25 });
  });

  it("has no empty page after a full one", () => {
    assert.deepEqual(pageWindow({ total: 20, size: 10, page: 2 }), { page: 2, pages: 2, first: 11, last: 20 });
  });

  it("shows an empty list as one empty page", () => {
    assert.deepEqual(pageWindow({ total: 0, size: 10, page: 1 }), { page: 1, pages: 1, first: 0, last: 0 });
  });

  it("goes to the nearest page there is", () => {
    assert.equal(pageWindow({ total: 25, size: 10, page: 99 }).page, 3);
    assert.equal(pageWindow({ total: 25, size: 10, page: 0 }).page, 1);
  });

  it("refuses a size below one", () => {
    assert.throws(() => pageWindow({ total: 25, size: 0, page: 1 }), RangeError);
  });
});
