import { afterAll, expect, test } from "vitest";
import { benches } from "../test/bench.ts";
import { search } from "./search.ts";

const bench = benches(afterAll);

const files = {
  "src/a.py": "import os\ndef total(x):\n    return x + 1\n",
  "src/b.ts": "export const total = (x) => x;\r\n",
  "c.py": "print('a.b (c)')\n",
};

test("finds a text in all files, sorted, with line numbers and counts", async () => {
  await using desk = await bench(files);
  expect((await desk.call(search, { pattern: "total" })).output).toBe(
    "src/a.py\n     2\tdef total(x):\nsrc/b.ts\n     1\texport const total = (x) => x;\n2 matching lines in 2 files.",
  );
  expect((await desk.call(search, { pattern: "a.b (c)" })).output).toContain("c.py\n     1\t");
  expect((await desk.call(search, { pattern: "a-b" })).output).toBe("No match.");
});

test("finds a regular expression, narrowed by path, glob and case", async () => {
  await using desk = await bench(files);
  const output = async (input: Parameters<typeof search.call>[0]) => (await desk.call(search, input)).output;
  expect(await output({ pattern: "^def \\w+\\(", regex: true })).toMatch(
    /^src\/a\.py\n {5}2\t.*1 matching lines in 1 files\.$/s,
  );
  expect(await output({ pattern: "x;$", regex: true })).toContain("src/b.ts");
  expect(await output({ pattern: "TOTAL" })).toBe("No match.");
  expect(await output({ pattern: "TOTAL", ignoreCase: true, glob: "*.ts" })).toMatch(/^src\/b\.ts.*1 matching lines/s);
  expect(await output({ pattern: "total", glob: "src/**/*.py" })).toMatch(/^src\/a\.py.*1 matching lines/s);
  expect(await output({ pattern: "total", path: "src/b.ts" })).toMatch(/^src\/b\.ts.*1 matching lines/s);
  expect(await output({ pattern: "print", path: "src" })).toBe("No match.");
});

test("is bounded, and counts on", async () => {
  await using desk = await bench({ "a.txt": "hit\n".repeat(80), "b.txt": `${"hit ".repeat(1_000)}\n`.repeat(80) });
  const { output } = await desk.call(search, { pattern: "hit" });
  expect(output.length).toBeLessThan(24_200);
  expect(output.match(/^ +\d+\t/gm)).toHaveLength(100);
  expect(output).toMatch(/160 matching lines in 2 files\. Only the first 100 are shown/);
});

test("does not look into binary files, links and other people's code, and says how many files it left out", async () => {
  await using desk = await bench({
    "b.bin": { base64: Buffer.from("hit\0").toString("base64") },
    "big.txt": "hit\n".repeat(300_000),
  });
  await desk.shell("mkdir node_modules; echo hit > node_modules/x.js; ln -s big.txt link");
  expect((await desk.call(search, { pattern: "hit" })).output).toBe(
    "No match. 2 binary or large files were not looked into.",
  );
});

test("a pattern or glob that backtracks for ever is stopped and told", async () => {
  await using desk = await bench({ "a.txt": `${"a".repeat(60)}b\n`, ["a".repeat(60)]: "" });
  const slow = await desk.call(search, { pattern: "^(a+)+$", regex: true });
  expect(slow.ok).toBe(false);
  expect(slow.output).toMatch(/^PATTERN_SLOW.*a\.txt/);
  expect((await desk.call(search, { pattern: "x", glob: `${"*a".repeat(10)}*b` })).output).toMatch(
    /^PATTERN_SLOW.*glob/,
  );
});

test("mistakes are answered with what would be right", async () => {
  await using desk = await bench(files);
  expect((await desk.call(search, { pattern: "total(", regex: true })).output).toMatch(
    /^PATTERN_INVALID.*leave regex out/,
  );
  expect((await desk.call(search, { pattern: "a\nb" })).output).toMatch(/^PATTERN_INVALID.*one line/);
  expect((await desk.call(search, { pattern: "a", path: "none" })).output).toMatch(/^FILE_MISSING/);
  expect((await desk.call(search, { pattern: "a", path: "../" })).output).toMatch(/^PATH_REFUSED/);
});

test("an abort ends it", async () => {
  const controller = new AbortController();
  await using desk = await bench(files, { signal: controller.signal });
  controller.abort(new Error("enough"));
  await expect(desk.call(search, { pattern: "a" })).rejects.toThrow("enough");
});
