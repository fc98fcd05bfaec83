import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { report } from "./run-report.mjs";

describe("the command report", () => {
  it("sums by city", () => {
    const { status, totals } = report(readFileSync(new URL("data/sales.csv", import.meta.url), "utf8"));
    assert.equal(status, 0);
    assert.deepEqual(Object.entries(JSON.parse(totals)), [
      ["Accra", "7.10"],
      ["Lima", "3.00"],
      ["Paris", "10.75"],
    ]);
  });

  it("sums exactly", () => {
    const { totals } = report(`city,amount\n${"Oslo,0.10\n".repeat(3)}Oslo,1.01\n`);
    assert.deepEqual(JSON.parse(totals), { Oslo: "1.31" });
  });

  it("tells which line is no sale", () => {
    const { status, stderr, totals } = report("city,amount\nParis,1\nLima\n");
    assert.equal(status, 1);
    assert.match(stderr, /sales\.csv:3/);
    assert.equal(totals, undefined);
  });

  it("tells which file cannot be read", () => {
    const { status, stderr } = report();
    assert.equal(status, 1);
    assert.match(stderr, /sales\.csv/);
  });

  it("is named in package.json", () => {
    const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    assert.equal(manifest.bin?.report?.replace("./", ""), "bin/report.mjs");
  });
});
