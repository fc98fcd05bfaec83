const assert = require("node:assert");
const { it } = require("node:test");
const { parse } = require("../lib/query.cjs");

it("parses", () => {
  assert.deepEqual(parse(""), {});
});
