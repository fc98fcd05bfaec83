import fc from "fast-check";
import { expect, it } from "vitest";
import { linesOf } from "./lines.ts";

async function* cut(bytes: Uint8Array, at: readonly number[]): AsyncGenerator<Uint8Array> {
  const places = [0, ...at.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  for (let n = 1; n < places.length; n += 1) yield bytes.subarray(places[n - 1], places[n]);
}

it("are those between line feeds, wherever the bytes are cut and whatever else they hold", async () => {
  const character = fc.constantFrom("a", "é", "\u{1F600}", "\r", "\u2028", "\u2029", "\u0085", " ");
  const text = fc.array(character, { maxLength: 5 }).map((characters) => characters.join(""));
  await fc.assert(
    fc.asyncProperty(fc.array(text), fc.array(fc.nat()), async (texts, at) => {
      const bytes = Buffer.from(texts.join("\n"));
      const lines = await Array.fromAsync(linesOf(cut(bytes, at)));
      const last = texts.at(-1) ?? "";
      expect(lines.map((line) => line.text)).toEqual(last === "" ? texts.slice(0, -1) : texts);
      expect(lines.map((line) => line.whole)).toEqual(lines.map((_, n) => n < texts.length - 1));
      let end = 0;
      for (const line of lines) {
        expect(bytes.subarray(end, line.end).toString()).toBe(line.text + (line.whole ? "\n" : ""));
        end = line.end;
      }
    }),
  );
});
