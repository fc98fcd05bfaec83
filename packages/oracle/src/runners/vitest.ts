import type { RunnerAdapter } from "./adapter.ts";
import { type HostModules, scriptRunner } from "./script-runner.ts";
import { VITEST_BOOTSTRAP } from "./vitest-bootstrap.ts";

/**
 * vitest. The tests run in its worker processes, so that the channel is not theirs. A configuration at the workspace's root is
 * used, with Swarm's settings over it; `test` and the like are global.
 */
export function vitest(host: HostModules = {}): RunnerAdapter {
  return scriptRunner(
    {
      name: "vitest",
      bootstrap: VITEST_BOOTSTRAP,
      sample: { "sample.test.mjs": 'import { test } from "vitest";\ntest("works", () => {});\n' },
      isTestFile: (path) => /\.(?:test|spec)\.[cm]?[jt]sx?$/.test(path),
    },
    host,
  );
}
