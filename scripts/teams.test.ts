import { globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { TEAM_NAMES } from "../packages/cli/src/teams/names.ts";
import { TEAM_ROLES } from "../packages/cli/src/teams/roles.ts";
import { importsOf } from "./check-packages.ts";
import { root } from "./workspace.ts";

/** Where a team may be known by its name: its own folder, the command's table with its file, and the scripts of its mocks. */
const HOMES = [
  ...TEAM_NAMES.map((name) => `packages/agents/src/${name}/`),
  "packages/cli/src/teams/",
  "packages/tasks/src/mocks/",
  "packages/tasks/src/mock-model.ts",
];

/** The sources of all packages but their tests, without comments, by their path. */
const sources = globSync("packages/*/src/**/*.ts", { cwd: root })
  .filter((path) => !/\.test(-d)?\.ts$/.test(path))
  .map((path) => ({
    path: relative(root, join(root, path)),
    code: withoutComments(readFileSync(join(root, path), "utf8")),
  }));
const elsewhere = sources.filter(({ path }) => !HOMES.some((home) => path.startsWith(home)));

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
}

/** Where some code stands, a line each. */
function found(pattern: RegExp): string[] {
  return elsewhere.flatMap(({ path, code }) =>
    code.split("\n").flatMap((line) => (pattern.test(line) ? [`${path}: ${line.trim()}`] : [])),
  );
}

test("no package but its own knows a team by its name", () => {
  expect(sources.length - elsewhere.length).toBeGreaterThan(20);
  // a team that is called as a role is cannot be told from the role here; the next test stands for it
  for (const name of TEAM_NAMES.filter((name) => !(TEAM_ROLES as readonly string[]).includes(name)))
    expect(found(new RegExp(`["'\`]${name}(?:@[^"'\`]*)?["'\`]`)), name).toEqual([]);
});

test("nothing depends on which team it is", () => {
  expect(found(/\bteam\w*(?:\??\.name)?\s*[!=]==?\s*["'`][\w-]/i)).toEqual([]);
  expect(found(/switch \(\w*team\w*(?:\??\.name)?\)/i)).toEqual([]);
});

test("core imports none of ours", () => {
  const core = sources.filter(({ path }) => path.startsWith("packages/core/src/"));
  expect(core.length).toBeGreaterThan(80);
  for (const { path, code } of core)
    expect(
      importsOf(code).filter((specifier) => specifier.startsWith("@swarm/") || specifier.includes("agents")),
      path,
    ).toEqual([]);
});
