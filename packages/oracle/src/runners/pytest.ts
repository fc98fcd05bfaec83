import { randomBytes } from "node:crypto";
import type { RunnerAdapter } from "./adapter.ts";
import { START_MS } from "./adapter.ts";
import { PYTEST_BOOTSTRAP } from "./pytest-bootstrap.ts";
import { reportOf } from "./report-of.ts";

/**
 * pytest, in one process for all entries. No plugin is loaded that the task's own files do not load, no configuration file
 * is read, and the import path is the workspace root followed by the entries' folders. Test files are imported by path, so
 * that two of one base name do not clash.
 */
export const pytest: RunnerAdapter = {
  name: "pytest",

  isTestFile(path) {
    return /(?:^|\/)(?:test_[^/]*|[^/]*_test)\.py$/.test(path);
  },

  isTestOf(entry, id) {
    return id.startsWith(`${entry}::`);
  },

  async run(workspace, entries, { signal, timeoutMs }) {
    const nonce = randomBytes(16).toString("hex");
    const spec = JSON.stringify({ entries });
    const command = (source: string, secret: string) => ["python3", "-s", "-B", "-c", source, secret, spec];
    const result = await workspace.exec(command(PYTEST_BOOTSTRAP, nonce), {
      signal,
      timeoutMs,
      startMs: START_MS,
      channel: true,
      env: { PYTEST_DISABLE_PLUGIN_AUTOLOAD: "1", PYTHONDONTWRITEBYTECODE: "1", PYTHONHASHSEED: "0" },
    });
    const { report, durations, version } = reportOf(result, nonce);
    return { report, durations, version, command: command("<bootstrap>", "<nonce>") };
  },
};
