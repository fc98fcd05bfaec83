const assert = require("node:assert");
const { describe, it } = require("node:test");
const { parse, stringify } = require("../lib/query.cjs");

describe("parse", () => {
  it("reads names and values", () => {
    assert.equal(parse("?a=1&b=two").a, "1");
    assert.equal(parse("a=1&b=two").b, "two");
  });

  it("gathers a name that comes again", () => {
    assert.deepEqual(parse("a=1&b=2&a=3").a, ["1", "3"]);
  });

  it("decodes escapes", () => {
    assert.equal(parse("q=caf%C3%A9+noir").q, "café noir");
  });

  it("knows names without a value", () => {
    assert.deepEqual(parse("flag&empty="), { flag: "", empty: "" });
  });

  it("reads nothing from nothing", () => {
    assert.deepEqual(parse("?"), {});
  });
});

describe("stringify", () => {
  it("escapes and repeats", () => {
    assert.equal(stringify({ q: "a b&c", list: ["1", "2"] }), "q=a%20b%26c&list=1&list=2");
  });
});
