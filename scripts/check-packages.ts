import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { entriesOf, type Manifest, type Package, packagesOf, root } from "./workspace.ts";

/** Which package may import which. `core` is at the bottom; everything points down at it. */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  "@swarm/core": [],
  "@swarm/llm": ["@swarm/core"],
  "@swarm/sandbox": ["@swarm/core"],
  "@swarm/oracle": ["@swarm/core"],
  "@swarm/tools": ["@swarm/core"],
  "@swarm/memory": ["@swarm/core"],
  "@swarm/executors": ["@swarm/core"],
  "@swarm/tasks": ["@swarm/core"],
  "@swarm/corpus": ["@swarm/core"],
  "@swarm/agents": ["@swarm/core", "@swarm/memory", "@swarm/oracle", "@swarm/sandbox", "@swarm/tools"],
  "@swarm/cli": [
    "@swarm/core",
    "@swarm/llm",
    "@swarm/sandbox",
    "@swarm/oracle",
    "@swarm/tools",
    "@swarm/memory",
    "@swarm/executors",
    "@swarm/tasks",
    "@swarm/corpus",
    "@swarm/agents",
  ],
};

/**
 * What is wrong with the directions between the packages under `<directory>/packages`, a line each; empty when all is well:
 * the table, the package.json files and the imports of the sources agree. A test (`*.test.ts`, or a file under `test/`) may
 * also import what its package lists in devDependencies. Cycles between files are the linter's to find.
 */
export function checkPackages(directory: string = root): string[] {
  const packages = packagesOf(directory);
  const entries = new Set(packages.flatMap((one) => entriesOf(one).map((entry) => entry.specifier)));
  return [
    ...findCycle(packages),
    ...packages.flatMap((one) => [...checkManifest(one), ...checkImports(one, entries, directory)]),
  ];
}

function checkManifest({ name, manifest }: Package): string[] {
  const allowed = MAY_IMPORT[name];
  if (allowed === undefined) return [`${name} has no row in the table of check-packages.ts`];
  return ours(manifest.dependencies)
    .filter((dependency) => !allowed.includes(dependency))
    .map((dependency) => `${name} depends on ${dependency}; it may depend on ${allowed.join(", ") || "none of ours"}`);
}

function checkImports(one: Package, entries: ReadonlySet<string>, directory: string): string[] {
  const dependencies = ours(one.manifest.dependencies);
  const forTests = [...dependencies, ...ours(one.manifest.devDependencies), one.name];
  const unused = new Set(dependencies);
  const problems: string[] = [];
  for (const file of globSync("{src,test}/**/*.ts", { cwd: one.directory })) {
    const path = join(one.directory, file);
    const isTest = /\.test(-d)?\.ts$|^test\//.test(file);
    for (const specifier of importsOf(readFileSync(path, "utf8"))) {
      const problem = specifier.startsWith(".")
        ? outside(one.directory, path, specifier)
        : specifier.startsWith("@swarm/")
          ? refused(specifier, isTest ? forTests : dependencies, entries)
          : undefined;
      if (problem !== undefined) problems.push(`${relative(directory, path)} imports "${specifier}": ${problem}`);
      if (!isTest) unused.delete(packageOf(specifier));
    }
  }
  return [...problems, ...[...unused].map((name) => `${one.name} depends on ${name} but does not import it`)];
}

function outside(directory: string, file: string, specifier: string): string | undefined {
  const target = relative(directory, join(dirname(file), specifier));
  return target.startsWith("..") ? "another package is imported by its name, not by a path" : undefined;
}

function refused(specifier: string, allowed: readonly string[], entries: ReadonlySet<string>): string | undefined {
  if (!allowed.includes(packageOf(specifier))) return `package.json does not list ${packageOf(specifier)}`;
  if (!entries.has(specifier)) return "this is not among the entries that the package exports";
  return undefined;
}

/** A path of packages that leads back to its start, tests included. */
function findCycle(packages: readonly Package[]): string[] {
  const left = new Map(
    packages.map(({ name, manifest }) => [name, [...ours(manifest.dependencies), ...ours(manifest.devDependencies)]]),
  );
  for (let removed = true; removed; ) {
    removed = false;
    for (const [name, imports] of left) {
      if (imports.some((other) => left.has(other))) continue;
      left.delete(name);
      removed = true;
    }
  }
  return left.size === 0 ? [] : [`These packages depend on each other: ${[...left.keys()].join(", ")}`];
}

/** The modules that a source names: in imports and re-exports at the start of a line (so, not in comments), and `import()`. */
export function importsOf(source: string): string[] {
  const patterns = [/^(?:import|export)\s(?:[^"';]*?\sfrom\s*)?["']([^"']+)["']/gm, /\bimport\(\s*["']([^"']+)["']/g];
  return patterns.flatMap((pattern) => [...source.matchAll(pattern)].map((match) => match[1] as string));
}

function ours(dependencies: Manifest["dependencies"]): string[] {
  return Object.keys(dependencies ?? {}).filter((name) => name.startsWith("@swarm/"));
}

function packageOf(specifier: string): string {
  return specifier.split("/").slice(0, 2).join("/");
}
