import assert from "node:assert/strict";
import { it } from "node:test";
import { LinkedList } from "../src/linked-list.mjs";

function listOf(...values) {
  const list = new LinkedList();
  for (const value of values) list.insert(value);
  return list;
}

it("can be emptied and filled again", () => {
  const list = listOf("only");
  assert.equal(list.delete("only"), true);
  assert.equal(list.length, 0);
  assert.deepEqual(list.toArray(), []);
  list.insert("next");
  list.insert("last");
  assert.deepEqual(list.toArray(), ["next", "last"]);
});

it("appends after its tail was deleted", () => {
  const list = listOf(1, 2, 3);
  list.delete(3);
  list.insert(4);
  assert.deepEqual(list.toArray(), [1, 2, 4]);
});

it("appends after it was reversed", () => {
  const list = listOf(1, 2, 3).reverse();
  list.insert(0);
  assert.deepEqual(list.toArray(), [3, 2, 1, 0]);
  assert.equal(list.search(0), 3);
});

it("reverses lists of no and of one value", () => {
  assert.deepEqual(new LinkedList().reverse().toArray(), []);
  assert.deepEqual(listOf(7).reverse().toArray(), [7]);
});

it("holds undefined and null like any value", () => {
  const list = listOf(null, undefined);
  assert.equal(list.search(undefined), 1);
  assert.equal(list.delete(null), true);
  assert.deepEqual(list.toArray(), [undefined]);
});

it("refuses an index that is no whole number", () => {
  assert.throws(() => listOf(1, 2).insert(3, 0.5), RangeError);
});

it("agrees with an array over many operations", () => {
  const list = new LinkedList();
  const expected = [];
  for (let step = 0; step < 400; step++) {
    const value = (step * 7) % 11;
    if (step % 3 === 2) {
      const at = expected.indexOf(value);
      assert.equal(list.delete(value), at >= 0);
      if (at >= 0) expected.splice(at, 1);
    } else {
      const at = (step * 5) % (expected.length + 1);
      list.insert(value, at);
      expected.splice(at, 0, value);
    }
    if (step % 50 === 49) {
      list.reverse();
      expected.reverse();
    }
    assert.deepEqual(list.toArray(), expected);
    assert.equal(list.length, expected.length);
  }
});
