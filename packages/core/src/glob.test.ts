import { expect, test } from "vitest";
import { matchesGlob } from "./glob.ts";

test.each([
  ["src/**", "src/a.ts", true],
  ["src/**", "src/.x/a.ts", true],
  ["src/**", "srcs/a.ts", false],
  ["**/*.py", "a.py", true],
  ["**/*.py", "deep/.hidden/a.py", true],
  ["*.py", "deep/a.py", false],
  ["**", ".gitignore", true],
  ["a?.txt", "ab.txt", true],
  ["a?.txt", "a/.txt", false],
  ["*.{js,mjs}", "a.mjs", true],
  ["*.{js,mjs}", "a.ts", false],
  ["a+(b).txt", "a+(b).txt", true],
  ["a.txt", "aXtxt", false],
])("%s and %s: %s", (glob, path, fits) => {
  expect(matchesGlob(path, glob)).toBe(fits);
});
