import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { clean, firstLine, oneLine } from "./line.ts";

const steered = fc.string({
  unit: fc.oneof(fc.constantFrom("\u001b[2J", "\r", "\n", "\t", "\u0007", "\u009b", "\u202e", "\u2066"), fc.string()),
});

describe("text of models and tests", () => {
  test("never steers a terminal", () => {
    fc.assert(
      fc.property(steered, (text) => {
        expect(clean(text)).not.toMatch(/(?![\t\n])[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
  });

  test("fits on one line of the given length", () => {
    fc.assert(
      fc.property(steered, fc.integer({ min: 1, max: 50 }), (text, most) => {
        const line = oneLine(text, most);
        expect(line).not.toContain("\n");
        expect(line.length).toBeLessThanOrEqual(most);
      }),
    );
  });

  test("keeps what fits as it is", () => {
    expect(oneLine("a short text", 12)).toBe("a short text");
    expect(oneLine("a longer text", 9)).toBe("a longer…");
    expect(firstLine("\n\n  second\nthird")).toBe("second");
  });
});
