import fc from "fast-check";
import { expect, it } from "vitest";
import { eraseBytes } from "./erase-bytes.ts";

it("erases the same as from the whole, wherever the chunks are cut", () => {
  const alphabet = fc.constantFrom("/", "t", "/tmp/x", "/tm", "p/x", "ä");
  fc.assert(
    fc.property(
      fc.array(alphabet, { maxLength: 30 }),
      fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
      (parts, sizes) => {
        const data = Buffer.from(parts.join(""));
        const eraser = eraseBytes(Buffer.from("/tmp/x"));
        const out: Buffer[] = [];
        for (let at = 0; at < data.length; ) {
          const size = sizes.next().value as number;
          out.push(eraser.push(data.subarray(at, at + size)));
          at += size;
        }
        out.push(eraser.end());
        expect(Buffer.concat(out).toString()).toBe(data.toString().replaceAll("/tmp/x", ""));
      },
    ),
  );
});
