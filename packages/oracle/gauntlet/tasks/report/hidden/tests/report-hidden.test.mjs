import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { report } from "./run-report.mjs";

describe("the command report, other sales", () => {
  it("skips blank lines", () => {
    const { totals } = report("city,amount\n\nRome,1.5\n\nRome,2\n\n");
    assert.deepEqual(JSON.parse(totals), { Rome: "3.50" });
  });

  it("gives money back", () => {
    const { totals } = report("city,amount\nBonn,-0.07\nBonn,0.02\nAarhus,90071992547409.91\n");
    assert.deepEqual(Object.entries(JSON.parse(totals)), [
      ["Aarhus", "90071992547409.91"],
      ["Bonn", "-0.05"],
    ]);
  });

  it("refuses another header", () => {
    const { status, stderr, totals } = report("town,amount\nParis,1\n");
    assert.equal(status, 1);
    assert.match(stderr, /sales\.csv:1/);
    assert.equal(totals, undefined);
  });

  it("writes an empty report", () => {
    const { status, totals } = report("city,amount\n");
    assert.equal(status, 0);
    assert.deepEqual(JSON.parse(totals), {});
  });
});
