import type { RunnerAdapter } from "./adapter.ts";
import { MOCHA_BOOTSTRAP } from "./mocha-bootstrap.ts";
import { type HostModules, scriptRunner } from "./script-runner.ts";

/** mocha, with its tests in its own process, one file loaded after the other. No configuration is read. */
export function mocha(host: HostModules = {}): RunnerAdapter {
  return scriptRunner(
    {
      name: "mocha",
      bootstrap: MOCHA_BOOTSTRAP,
      sample: { "sample.test.mjs": 'it("works", () => {});\n' },
      isTestFile: (path) => /^test\/[^/]+\.[cm]?[jt]s$|\.(?:test|spec)\.[cm]?[jt]s$/.test(path),
    },
    host,
  );
}
