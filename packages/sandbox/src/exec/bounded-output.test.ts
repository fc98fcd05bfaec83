import fc from "fast-check";
import { expect, it } from "vitest";
import { BoundedOutput } from "./bounded-output.ts";

const chunked = (limit: number, chunks: readonly Uint8Array[]) => {
  const output = new BoundedOutput(limit);
  for (const chunk of chunks) output.push(chunk);
  return output.text();
};

it("says the same however the bytes are cut into chunks, and accounts for every byte", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 60 }),
      fc.array(fc.nat(7)),
      fc.integer({ min: 8, max: 40 }),
      (text, sizes, limit) => {
        const bytes = Buffer.from(text);
        const whole = chunked(limit, [bytes]);
        const chunks: Uint8Array[] = [];
        let at = 0;
        for (const size of sizes) {
          chunks.push(bytes.subarray(at, at + size));
          at += size;
        }
        chunks.push(bytes.subarray(at));
        expect(chunked(limit, chunks)).toBe(whole);

        const parts = /^(.*)\n\[… (\d+) bytes left out …\]\n(.*)$/su.exec(whole);
        if (bytes.length <= limit) {
          expect(whole).toBe(text);
          return;
        }
        const [head, leftOut, tail] = parts!.slice(1) as [string, string, string];
        expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
        expect(Buffer.byteLength(head) + Number(leftOut) + Buffer.byteLength(tail)).toBe(bytes.length);
      },
    ),
  );
});

it("stays within its limit for bytes that are no text", () => {
  const noise = Uint8Array.from({ length: 5_000 }, (_, index) => (index * 149) % 256);
  expect(chunked(1_000, [noise]).length).toBeLessThan(1_100);
});

it("cuts no key, which nobody would know from its half", () => {
  const key = "sk-ant-0123456789abcdef";
  for (let before = 0; before < 100; before++) {
    const text = `${"a ".repeat(before)}"${key}"${" b".repeat(100)} "${key}"${" c".repeat(99 - before)}`;
    const told = chunked(200, [Buffer.from(text)]).replaceAll(key, "");
    expect(told).not.toMatch(/sk-|\d{4,}/);
  }
});
