import type { RunnerAdapter } from "./adapter.ts";
import { PYTEST_BOOTSTRAP } from "./pytest-bootstrap.ts";
import { readRecords } from "./records.ts";
import { discoveryOf, reportOf, wasShadowed } from "./report-of.ts";
import { runProcess } from "./run-process.ts";

/**
 * pytest, in one process for all entries. No plugin is loaded that the task's own files do not load, no configuration file
 * is read, and the import path is the workspace root followed by the entries' folders. Test files are imported by path, so
 * that two of one base name do not clash.
 */
export const pytest: RunnerAdapter = {
  name: "pytest",
  evidence: "hooks",
  sample: { "test_sample.py": "def test_works(): pass\n" },
  canBeWarm: true,
  canShareTime: true,

  isTestFile(path) {
    return /(?:^|\/)(?:test_[^/]*|[^/]*_test)\.py$/.test(path);
  },

  isTestOf(entry, id) {
    return id.startsWith(`${entry}::`);
  },

  async discover(workspace, entries, options) {
    const { result, nonce } = await runProcess(
      workspace,
      startOf({ entries, only: null, list: true, share: null }),
      options,
    );
    return discoveryOf(result, readRecords(result.channel ?? "", nonce));
  },

  async run(workspace, entries, options) {
    const { warm = false, ...coldly } = options;
    const share = options.shareTime ? (options.timeoutMs / 1000) * SHARED : null;
    const start = startOf({ entries, only: options.only ?? null, list: false, share });
    const { result, nonce } = await runProcess(workspace, start, options);
    if (warm && wasShadowed(result, nonce)) return await this.run(workspace, entries, coldly);
    const { testsMs: _, ...run } = reportOf(result, nonce);
    return { ...run, command: start[warm ? "warm" : "command"]("<bootstrap>"), env: ENV, warm };
  },
};

const ENV = { PYTEST_DISABLE_PLUGIN_AUTOLOAD: "1", PYTHONDONTWRITEBYTECODE: "1", PYTHONHASHSEED: "0" };

/** The part of the time that tests share. The rest is for what is done between them. */
const SHARED = 0.8;

type Spec = { entries: readonly string[]; only: readonly string[] | null; list: boolean; share: number | null };

function startOf(spec: Spec) {
  const command = (source: string) => ["python3", "-s", "-B", "-c", source];
  const warm = (source: string) => [...command(source), "warm"];
  const input = (nonce: string) => JSON.stringify({ nonce, ...spec });
  return { bootstrap: PYTEST_BOOTSTRAP, command, warm, input, env: ENV };
}
