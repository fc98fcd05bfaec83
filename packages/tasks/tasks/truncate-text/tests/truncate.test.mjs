import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { truncate } from "../src/truncate.mjs";

describe("truncate", () => {
  it("leaves a text that fits as it is", () => {
    assert.equal(truncate("hello", 5), "hello");
    assert.equal(truncate("", 3), "");
  });

  it("ends a longer text with an ellipsis within the limit", () => {
    assert.equal(truncate("hello world", 6), "hello…");
    assert.equal(truncate("hello", 1), "…");
  });

  it("refuses a limit below one", () => {
    assert.throws(() => truncate("hello", 0), RangeError);
  });

  it("does not cut an emoji in half", () => {
    assert.equal(truncate("ab😀cd", 4), "ab😀…");
  });

  it("counts an emoji as one character", () => {
    assert.equal(truncate("😀😀😀", 3), "😀😀😀");
  });
});
