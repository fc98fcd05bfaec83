import fc from "fast-check";
import { expect, test } from "vitest";
import { headAndTail } from "./text.ts";

const MARK = /\n\[… (\d+) characters left out …\]\n/;

test("is the text, or its head and its tail with what is between counted", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 90 }), fc.integer({ min: 0, max: 60 }), (text, limit) => {
      const told = headAndTail(text, limit);
      if (text.length <= limit) return void expect(told).toBe(text);
      const [head, count, tail] = told.split(MARK) as [string, string, string];
      expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
      expect(head.length + tail.length).toBeLessThanOrEqual(limit);
      expect(head.length + Number(count) + tail.length).toBe(text.length);
      expect(told.isWellFormed()).toBe(text.isWellFormed());
    }),
  );
});

test("cuts no key, which nobody would know from its half", () => {
  const key = "sk-ant-0123456789abcdef";
  for (let before = 0; before < 100; before++) {
    const text = `${"a ".repeat(before)}"${key}"${" b".repeat(100)} "${key}"${" c".repeat(99 - before)}`;
    expect(headAndTail(text, 200).replaceAll(key, "")).not.toMatch(/sk-|\d{4,}/);
  }
});

test("cuts a word of more than 200 characters", () => {
  expect(headAndTail("x".repeat(1000), 10)).toBe("xxxxx\n[… 990 characters left out …]\nxxxxx");
});
