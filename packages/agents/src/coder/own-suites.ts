import type { Suite } from "@swarm/core";
import { builtInRunners } from "@swarm/oracle";

/** Test files of these runners alone are told by their names: those of others, such as vitest, are named as node:test's. */
const RUNNERS = ["pytest", "node:test"];

/**
 * The tests among the files that a coder added, as suites: one for each runner whose naming convention fits some. What else is
 * among them is code, and no part of a suite, but for what configures pytest.
 */
export async function ownSuites(
  paths: readonly string[],
  read: (path: string) => Promise<Uint8Array>,
): Promise<Suite[]> {
  const suites: Suite[] = [];
  for (const runner of builtInRunners().filter(({ name }) => RUNNERS.includes(name))) {
    const tests = paths.filter((path) => runner.isTestFile(path));
    if (tests.length === 0) continue;
    const helpers = runner.name === "pytest" ? paths.filter((path) => /(?:^|\/)conftest\.py$/.test(path)) : [];
    const files: Suite["files"] = {};
    for (const path of [...tests, ...helpers]) files[path] = new TextDecoder().decode(await read(path));
    suites.push({ id: `own-${runner.name.replace(":", "-")}`, author: "coder", runner: runner.name, files });
  }
  return suites;
}
