import fc from "fast-check";
import { expect, it } from "vitest";
import { wordEmbedding } from "./word-embedding.ts";

const { signal } = new AbortController();
async function distance(one: string, other: string): Promise<number> {
  const [a = [], b = []] = await wordEmbedding([one, other], { signal });
  return 1 - a.reduce((sum, value, index) => sum + value * b[index]!, 0);
}

it("puts texts close that share their words, in whatever form and order", async () => {
  expect(await distance("Insert into the Tree", "tree: insert")).toBeCloseTo(0);
  const tree = "Insert and delete keys in a binary search tree";
  expect(await distance(tree, "Insert and find keys in a binary tree")).toBeLessThan(0.4);
  expect(await distance(tree, "Parse quoted CSV fields")).toBeGreaterThan(0.9);
});

it("gives any text a vector of length 1", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary" }), async (text) => {
      const [vector = []] = await wordEmbedding([text], { signal });
      expect(vector).toHaveLength(1024);
      expect(Math.hypot(...vector)).toBeCloseTo(1);
    }),
  );
});
