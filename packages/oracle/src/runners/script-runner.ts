import type { RunnerAdapter } from "./adapter.ts";
import { findPackage } from "./find-modules.ts";
import { readRecords } from "./records.ts";
import { discoveryOf, reportOf } from "./report-of.ts";
import { type RunnerStart, runProcess } from "./run-process.ts";
import type { ScriptSpec } from "./script-prelude.ts";

/** Where the packages of JavaScript runners come from. */
export type HostModules = {
  /**
   * Folder of the host from which they are found as Node finds packages: in its `node_modules` or one above. A workspace's own
   * are never used. Default: the working directory at the time of a run.
   */
  from?: string;
};

type ScriptRunner = Pick<RunnerAdapter, "isTestFile" | "sample"> & {
  /** Name of the runner and of its package. */
  name: string;
  bootstrap: string;
  flags?: readonly string[];
};

/**
 * A test runner that is an npm package of the host and runs on Node. A test's id is `path > outer > inner`; a second test of
 * one name has ` [2]` at its end.
 */
export function scriptRunner({ name, bootstrap, flags = [], ...rest }: ScriptRunner, host: HostModules): RunnerAdapter {
  const command = (source: string) => ["node", ...flags, "-e", source];
  const startOf = (task: Omit<ScriptSpec, "runner">): RunnerStart => {
    const { modules, folder } = findPackage(name, host.from ?? process.cwd());
    return { bootstrap, modules, command, input: (nonce) => JSON.stringify({ nonce, ...task, runner: folder }) };
  };

  return {
    name,
    evidence: "hooks",
    ...rest,

    isTestOf(entry, id) {
      return id.startsWith(`${entry} > `);
    },

    async discover(workspace, entries, options) {
      const { result, nonce } = await runProcess(workspace, startOf({ entries, only: null, list: true }), options);
      return discoveryOf(result, readRecords(result.channel ?? "", nonce));
    },

    async run(workspace, entries, options) {
      const start = startOf({ entries, only: options.only ?? null, list: false });
      const { result, nonce } = await runProcess(workspace, start, options);
      const { testsMs: _, ...run } = reportOf(result, nonce);
      return { ...run, command: command("<bootstrap>"), env: {} };
    },
  };
}
