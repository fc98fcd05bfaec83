const assert = require("node:assert");
const { describe, it } = require("node:test");
const { parse, stringify } = require("../lib/query.cjs");

describe("parse, other texts", () => {
  it("keeps a broken escape", () => {
    assert.deepStrictEqual(parse("rate=100%&half=%zz"), { rate: "100%", half: "%zz" });
  });

  it("keeps an equals sign in a value", () => {
    assert.strictEqual(parse("sum=1=1").sum, "1=1");
  });

  it("leaves empty parts out", () => {
    assert.deepStrictEqual(parse("&&x=1&"), { x: "1" });
  });

  it("is the way back from stringify", () => {
    const pairs = { "a b": "ü&=", many: ["1", "2", "3"] };
    assert.deepStrictEqual(parse(stringify(pairs)), pairs);
  });
});
