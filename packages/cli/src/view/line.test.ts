import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { clean, firstLine, oneLine } from "./line.ts";

const steered = fc.string({
  unit: fc.oneof(fc.constantFrom("\u001b[2J", "\r", "\n", "\t", "\u0007", "\u009b", "\u202e"), fc.string()),
});

describe("text of models and tests", () => {
  test("never steers a terminal", () => {
    fc.assert(
      fc.property(steered, (text) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
        expect(clean(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
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
