import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LinkedList } from "../src/linked-list.mjs";

function listOf(...values) {
  const list = new LinkedList();
  for (const value of values) list.insert(value);
  return list;
}

describe("insert", () => {
  it("appends", () => {
    assert.deepEqual(listOf("a", "b", "c").toArray(), ["a", "b", "c"]);
  });

  it("puts a value at an index", () => {
    const list = listOf("a", "c");
    list.insert("b", 1);
    list.insert("start", 0);
    assert.deepEqual(list.toArray(), ["start", "a", "b", "c"]);
    assert.equal(list.length, 4);
  });

  it("refuses an index outside of the list", () => {
    assert.throws(() => listOf("a").insert("x", 2), RangeError);
    assert.throws(() => listOf("a").insert("x", -1), RangeError);
  });
});

describe("delete", () => {
  it("takes the first equal value out", () => {
    const list = listOf(1, 2, 3, 2);
    assert.equal(list.delete(2), true);
    assert.deepEqual(list.toArray(), [1, 3, 2]);
    assert.equal(list.length, 3);
  });

  it("takes the head out", () => {
    const list = listOf(1, 2);
    assert.equal(list.delete(1), true);
    assert.deepEqual(list.toArray(), [2]);
  });

  it("says when there is nothing to delete", () => {
    assert.equal(new LinkedList().delete(1), false);
    assert.equal(listOf(1, 2).delete(3), false);
  });
});

describe("search", () => {
  it("gives the index of the first equal value, or -1", () => {
    const list = listOf("x", "y", "x");
    assert.equal(list.search("x"), 0);
    assert.equal(list.search("y"), 1);
    assert.equal(list.search("z"), -1);
  });
});

describe("reverse", () => {
  it("turns the list round in place", () => {
    const list = listOf(1, 2, 3);
    assert.equal(list.reverse(), list);
    assert.deepEqual(list.toArray(), [3, 2, 1]);
  });
});
