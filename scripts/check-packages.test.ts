import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checkPackages, importsOf, MAY_IMPORT } from "./check-packages.ts";
import type { Manifest } from "./workspace.ts";

let workspace: string;

beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), "swarm-packages-"));
  write("core", {}, { "src/index.ts": "export const a = 1;" });
});

afterEach(() => rmSync(workspace, { recursive: true, force: true }));

function write(name: string, manifest: Partial<Manifest>, files: Record<string, string>): void {
  const source = (file: string) => ({ "@swarm/source": file, types: "", default: "" });
  const all = {
    "package.json": JSON.stringify({ name: `@swarm/${name}`, exports: { ".": source("./src/index.ts") }, ...manifest }),
    ...files,
  };
  for (const [file, text] of Object.entries(all)) {
    const path = join(workspace, "packages", name, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

const onCore = { dependencies: { "@swarm/core": "workspace:*" } };

test("the packages of this repository keep to the table", () => {
  expect(checkPackages()).toEqual([]);
});

test("what keeps to the table passes", () => {
  write("sandbox", onCore, { "src/index.ts": `export { a } from "@swarm/core";` });
  write(
    "tools",
    { ...onCore, devDependencies: { "@swarm/sandbox": "workspace:*" } },
    {
      "src/index.ts": `import type { A } from "@swarm/core";\nimport { b } from "./b.ts";`,
      "src/b.test.ts": `import { a } from "@swarm/sandbox";`,
    },
  );
  expect(checkPackages(workspace)).toEqual([]);
});

test.each<[string, string, Partial<Manifest>, Record<string, string>, string]>([
  [
    "a dependency that the table does not allow",
    "core",
    { dependencies: { "@swarm/tools": "workspace:*" } },
    { "src/index.ts": `import "@swarm/tools";` },
    "@swarm/core depends on @swarm/tools; it may depend on none of ours",
  ],
  [
    "an import that package.json does not list",
    "tools",
    {},
    { "src/index.ts": `import { a } from "@swarm/core";` },
    `packages/tools/src/index.ts imports "@swarm/core": package.json does not list @swarm/core`,
  ],
  [
    "a forbidden import of a type only",
    "tools",
    onCore,
    { "src/index.ts": `import "@swarm/core";\nexport type { A } from "@swarm/llm";` },
    `packages/tools/src/index.ts imports "@swarm/llm": package.json does not list @swarm/llm`,
  ],
  [
    "a source that imports what is there for tests",
    "tools",
    { ...onCore, devDependencies: { "@swarm/sandbox": "workspace:*" } },
    { "src/index.ts": `import "@swarm/core";\nimport { s } from "@swarm/sandbox";` },
    `packages/tools/src/index.ts imports "@swarm/sandbox": package.json does not list @swarm/sandbox`,
  ],
  [
    "an entry that is not exported",
    "tools",
    onCore,
    { "src/index.ts": `const late = await import("@swarm/core/src/log.ts");` },
    `packages/tools/src/index.ts imports "@swarm/core/src/log.ts": this is not among the entries that the package exports`,
  ],
  [
    "a path into another package",
    "tools",
    {},
    { "src/deep/index.ts": `import { a } from "../../../core/src/index.ts";` },
    `packages/tools/src/deep/index.ts imports "../../../core/src/index.ts": another package is imported by its name, not by a path`,
  ],
  [
    "a dependency that nothing imports",
    "tools",
    onCore,
    { "src/index.ts": "export {};" },
    "@swarm/tools depends on @swarm/core but does not import it",
  ],
  ["a package without a row", "extra", {}, {}, "@swarm/extra has no row in the table of check-packages.ts"],
])("finds %s", (_what, name, manifest, files, problem) => {
  write("tools", {}, {});
  write(name, manifest, files);
  expect(checkPackages(workspace)).toEqual([problem]);
});

test("finds packages whose tests depend on each other", () => {
  const tests = (name: string) => ({ devDependencies: { [name]: "workspace:*" } });
  write("tools", tests("@swarm/sandbox"), {});
  write("sandbox", tests("@swarm/tools"), {});
  expect(checkPackages(workspace)).toEqual(["These packages depend on each other: @swarm/sandbox, @swarm/tools"]);
});

test("the table itself has no cycle: every row names only packages that have fewer below them", () => {
  const below = (name: string): string[] => (MAY_IMPORT[name] ?? []).flatMap((other) => [other, ...below(other)]);
  for (const name of Object.keys(MAY_IMPORT)) expect(below(name)).not.toContain(name);
});

describe("importsOf", () => {
  test.each([
    [`import { a } from "x";`, ["x"]],
    [`import type { A } from 'x';`, ["x"]],
    [`import {\n  a,\n  type B,\n} from "x";`, ["x"]],
    [`import d, * as n from "x";\nimport "y";`, ["x", "y"]],
    [`export { a } from "x";\nexport * from "y";`, ["x", "y"]],
    [`  const m = await import("x");`, ["x"]],
    [`type T = import("x").T;`, ["x"]],
    [`/**\n * import { a } from "x";\n */\n// import "y";`, []],
    [`export const from = "x";`, []],
    [`export function f() {\n  return g("from");\n}\n`, []],
  ])("%j names %j", (source, names) => {
    expect(importsOf(source)).toEqual(names);
  });
});
