import { randomBytes } from "node:crypto";
import type { Workspace } from "@swarm/core";
import type { RunnerAdapter, RunnerOptions } from "./adapter.ts";
import { type CargoTarget, cargoTargets, readBuild, readCargoTests } from "./cargo-events.ts";
import { discoveryOf, reportOfRecords } from "./report-of.ts";
import { recordsOf, runWritten, type WrittenRun, type WrittenStart } from "./run-written.ts";

const BUILD_MS = 300_000;
/** The test programs' own results as JSON are unstable, and this is how a stable compiler's programs give them. */
const ENV = { RUSTC_BOOTSTRAP: "1", RUST_BACKTRACE: "0" };
const FLAGS = ["-Z", "unstable-options", "--format", "json", "--test-threads=1", "--report-time"];
const VERSION = ["cargo", "--version"];

/**
 * `cargo test`, offline: builds all test programs, then runs those of the entries one after the other. An entry is the root file
 * of a program: `tests/x.rs`, or `src/lib.rs` for the tests beside the code. A test's id is `path::module::name`. Examples in
 * comments are not run. Its results are what the programs printed, so that code under test can print some too.
 */
export const cargoTest: RunnerAdapter = {
  name: "cargo test",
  evidence: "written",
  sample: {
    "Cargo.toml": '[package]\nname = "sample"\nversion = "0.0.0"\nedition = "2021"\n',
    "src/lib.rs": "",
    "tests/sample.rs": "#[test]\nfn works() {}\n",
  },

  isTestFile(path) {
    return /(?:^|\/)tests\/[^/]+\.rs$/.test(path);
  },

  isTestOf(entry, id) {
    return id.startsWith(`${entry}::`);
  },

  async discover(workspace, entries, options) {
    const runs = await runTargets(workspace, entries, options, () => ["--list"]);
    const { result, records } = recordsOf(runs);
    return discoveryOf(result, records);
  },

  async run(workspace, entries, options) {
    const runs = await runTargets(workspace, entries, options, ({ file }) => {
      const own = options.only?.filter((id) => id.startsWith(`${file}::`));
      return own ? ["--exact", ...own.map((id) => id.slice(file.length + 2))] : [];
    });
    const { result, records } = recordsOf(runs);
    const { testsMs: _, ...report } = reportOfRecords(result, records);
    return { ...report, command: ["<test program>", ...FLAGS], env: ENV };
  },
};

/** Builds all, then runs the programs of the entries. The build stands for them where there is none. */
async function runTargets(
  workspace: Workspace,
  entries: readonly string[],
  options: RunnerOptions,
  choiceOf: (target: CargoTarget) => string[],
): Promise<WrittenRun[]> {
  let targets: CargoTarget[] = [];
  // Nothing that was built before is used: it need not be of the sources that are there now.
  const folder = `${workspace.root}/target-${randomBytes(8).toString("hex")}`;
  const argv = ["cargo", "test", "--no-run", "--offline", "--message-format=json", "--target-dir", folder];
  const build = await runWritten(
    workspace,
    { argv, version: VERSION },
    { ...options, timeoutMs: BUILD_MS },
    (written) => {
      targets = cargoTargets(written, workspace.root);
      return readBuild(written);
    },
  );
  const wanted = build.exited?.code === 0 ? targets.filter(({ file }) => entries.includes(file)) : [];
  const runs: WrittenRun[] = [];
  let left = options.timeoutMs;
  for (const target of wanted) {
    const choice = choiceOf(target);
    if (choice.length === 1 && choice[0] === "--exact") continue;
    const start: WrittenStart = {
      argv: [target.executable, ...choice, ...FLAGS],
      version: VERSION,
      env: { ...ENV, CARGO_MANIFEST_DIR: `${workspace.root}/${target.folder}` },
      cwd: target.folder,
    };
    const run = await runWritten(workspace, start, { ...options, timeoutMs: Math.max(1, left) }, (written) =>
      readCargoTests(target.file, written),
    );
    runs.push(run);
    left -= run.result.durationMs;
  }
  return runs.length > 0 ? runs : [build];
}
