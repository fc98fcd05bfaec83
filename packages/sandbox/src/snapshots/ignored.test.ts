import { isIgnored } from "@swarm/sandbox";
import { expect, it } from "vitest";

it.each([
  ".git/config",
  "a/.git",
  ".GIT/x",
  "git~1/x",
  ".git. ./x",
  ".git::$INDEX_ALLOCATION/x",
  "p/__pycache__/a.pyc",
  "a.pyc",
  "q/node_modules/m/i.js",
])("%s is in no snapshot", (path) => expect(isIgnored(path)).toBe(true));

it.each([".gitignore", ".github/x", "git", "git~2", "x.git", "pyc", ".gitx", "my node_modules/x"])(
  "%s is in one",
  (path) => expect(isIgnored(path)).toBe(false),
);
