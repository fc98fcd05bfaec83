import { expect, test } from "vitest";
import { isInEarlierBranch } from "./branches.ts";

test.each([
  ["run/all/a/do", "run/all/b/do", true],
  ["run/all/b/do", "run/all/a/do", false],
  ["run/all/a/do", "run/all/a/do.2", false],
  ["run/all/a/do", "run/all.2/b/do", false],
  ["run/all.2/a", "run/all.2/b/all/c/do", true],
  ["run/race-do/0/do", "run/race-do/1/do", true],
  ["run/do", "run/do.2", false],
  ["run/all", "run/all/a/do", false],
  ["run", "run", false],
])("%s beside %s: %s", (a, b, expected) => {
  expect(isInEarlierBranch(a, b)).toBe(expected);
});
