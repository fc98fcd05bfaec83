import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LruCache } from "../src/lru.mjs";

describe("LruCache with other entries", () => {
  it("does not count has as a use", () => {
    const cache = new LruCache(2).set("x", 1).set("y", 2);
    assert.deepEqual([cache.has("x"), cache.has("z")], [true, false]);
    assert.deepEqual(cache.set("z", 3).keys(), ["y", "z"]);
  });

  it("keeps undefined and NaN", () => {
    const cache = new LruCache(2).set(Number.NaN, 1).set("u", undefined);
    assert.equal(cache.get(Number.NaN), 1);
    assert.equal(cache.get("u"), undefined);
    assert.deepEqual(cache.keys(), [Number.NaN, "u"]);
  });

  it("holds one entry", () => {
    const cache = new LruCache(1).set(1, "one").set(2, "two");
    assert.deepEqual([cache.size, cache.get(1), cache.get(2)], [1, undefined, "two"]);
  });

  it("refuses what is no whole number", () => {
    for (const capacity of [1.5, Number.NaN, "2", undefined]) {
      assert.throws(() => new LruCache(capacity), RangeError);
    }
  });
});
