import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { truncate } from "../src/truncate.mjs";

const family = "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}";
const flag = "\u{1f1eb}\u{1f1f7}";
const thumb = "\u{1f44d}\u{1f3fd}";

describe("truncate with characters of several code points", () => {
  it("keeps joined emoji together", () => {
    assert.equal(truncate(`${family}${family}${family}`, 2), `${family}…`);
    assert.equal(truncate(`a${family}`, 2), `a${family}`);
  });

  it("keeps flags and skin tones together", () => {
    assert.equal(truncate(`${flag}${flag}xyz`, 3), `${flag}${flag}…`);
    assert.equal(truncate(`${thumb}${thumb}`, 2), `${thumb}${thumb}`);
  });

  it("keeps an accent with its letter", () => {
    assert.equal(truncate("e\u0301e\u0301e\u0301", 2), "e\u0301…");
    assert.equal(truncate("n\u0303o", 2), "n\u0303o");
  });

  it("counts a Windows line end as one character", () => {
    assert.equal(truncate("a\r\nb", 3), "a\r\nb");
  });

  it("keeps white space before the ellipsis", () => {
    assert.equal(truncate("one two", 5), "one …");
  });

  it("refuses a limit that is no whole number", () => {
    assert.throws(() => truncate("hello", 2.5), RangeError);
    assert.throws(() => truncate("hello", Number.NaN), RangeError);
  });
});
