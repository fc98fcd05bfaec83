import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { splitBill } from "../src/split-bill.mjs";

describe("splitBill", () => {
  it("splits an amount that divides evenly", () => {
    assert.deepEqual(splitBill("30.00", 3), ["10.00", "10.00", "10.00"]);
  });

  it("lets the first ones pay the cents that are left over", () => {
    assert.deepEqual(splitBill("10.00", 3), ["3.34", "3.33", "3.33"]);
    assert.deepEqual(splitBill("0.05", 3), ["0.02", "0.02", "0.01"]);
  });

  it("loses no cent", () => {
    assert.deepEqual(splitBill("19.99", 3), ["6.67", "6.66", "6.66"]);
    assert.deepEqual(splitBill("1.15", 2), ["0.58", "0.57"]);
  });

  it("gives nothing to pay for an amount of nothing", () => {
    assert.deepEqual(splitBill("0.00", 2), ["0.00", "0.00"]);
  });

  it("refuses an amount that is not written with two decimals", () => {
    for (const amount of ["", "12", "1.5", "-1.00", "1.000", "abc"]) {
      assert.throws(() => splitBill(amount, 2), RangeError, amount);
    }
  });

  it("refuses to split among nobody", () => {
    assert.throws(() => splitBill("10.00", 0), RangeError);
  });
});
