import type { RunnerAdapter } from "./adapter.ts";
import { JEST_BOOTSTRAP } from "./jest-bootstrap.ts";
import { type HostModules, scriptRunner } from "./script-runner.ts";

/**
 * jest, with its tests in its own process. A configuration at the workspace's root is used; without one, ECMAScript modules
 * and TypeScript whose types can be erased are run as they are, and the manifest's `jest` is not read.
 */
export function jest(host: HostModules = {}): RunnerAdapter {
  return scriptRunner(
    {
      name: "jest",
      bootstrap: JEST_BOOTSTRAP,
      flags: ["--experimental-vm-modules", "--no-warnings"],
      sample: { "sample.test.mjs": 'test("works", () => {});\n' },
      isTestFile: (path) => /(?:^|\/)__tests__\/.*\.[cm]?[jt]sx?$|(?:^|[./])(?:test|spec)\.[cm]?[jt]sx?$/.test(path),
    },
    host,
  );
}
