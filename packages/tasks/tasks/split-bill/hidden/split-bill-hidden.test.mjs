import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { splitBill } from "../src/split-bill.mjs";

const cents = (text) => BigInt(text.replace(".", ""));

describe("splitBill with other amounts", () => {
  it("adds up to the amount, and no part differs by more than a cent", () => {
    for (let total = 0; total < 3000; total += 7) {
      const amount = `${Math.floor(total / 100)}.${String(total % 100).padStart(2, "0")}`;
      for (const people of [1, 2, 3, 7, 9]) {
        const parts = splitBill(amount, people).map(cents);
        assert.equal(parts.length, people);
        assert.equal(
          parts.reduce((sum, part) => sum + part),
          BigInt(total),
        );
        assert.ok(parts[0] - parts[people - 1] <= 1n);
        assert.deepEqual(
          parts,
          parts.toSorted((a, b) => (a < b ? 1 : a > b ? -1 : 0)),
        );
      }
    }
  });

  it("is exact for amounts beyond the precision of a number", () => {
    assert.deepEqual(splitBill("90071992547409.93", 2), ["45035996273704.97", "45035996273704.96"]);
    assert.deepEqual(splitBill("123456789012345678.91", 1), ["123456789012345678.91"]);
  });

  it("splits one cent among many", () => {
    assert.deepEqual(splitBill("0.01", 4), ["0.01", "0.00", "0.00", "0.00"]);
  });

  it("refuses other things that are no amount or number of people", () => {
    for (const amount of [".50", "1,00", " 1.00", "1.00\n", "1e3.00", "+1.00"]) {
      assert.throws(() => splitBill(amount, 2), RangeError, JSON.stringify(amount));
    }
    for (const people of [-1, 1.5, Number.NaN]) assert.throws(() => splitBill("1.00", people), RangeError);
  });
});
