import { dirname } from "node:path/posix";
import { NotFoundError, type Workspace } from "@swarm/core";
import type { RunnerAdapter, RunnerOptions } from "./adapter.ts";
import { type GoPackage, goEvents, readGoTests } from "./go-events.ts";
import { discoveryOf, reportOfRecords } from "./report-of.ts";
import { type Finding, recordsOf, runWritten, type WrittenStart } from "./run-written.ts";

/** Nothing is fetched, and the compiler of C is not needed. */
const ENV = { GOPROXY: "off", GOTOOLCHAIN: "local", GOFLAGS: "", CGO_ENABLED: "0" };
const BUILD_MS = 120_000;

/**
 * `go test`, for the packages of all entries together, with its own checks (vet) as by default. A test's id is `path::Test/sub`. Its
 * results are what the test's process printed, so that code under test can print some too.
 */
export const goTest: RunnerAdapter = {
  name: "go test",
  evidence: "written",
  sample: {
    "go.mod": "module sample\n",
    "sample_test.go": 'package sample\n\nimport "testing"\n\nfunc TestWorks(t *testing.T) {}\n',
  },

  isTestFile(path) {
    return path.endsWith("_test.go");
  },

  isTestOf(entry, id) {
    return id.startsWith(`${entry}::`);
  },

  async discover(workspace, entries, options) {
    const packages = await packagesOf(workspace, entries);
    const start = startOf(packages, ["-list", patternOf(packages)]);
    const run = await runWritten(workspace, start, options, (written) => {
      const listed = goEvents(written.output).flatMap(({ Package, Action, Output }): Finding[] => {
        const file = Action === "output" ? packages.get(Package ?? "")?.files.get(Output.trim()) : undefined;
        return file ? [{ kind: "collected", ids: [`${file}::${Output.trim()}`] }] : [];
      });
      return [...listed, ...readGoTests(packages, written)];
    });
    const { result, records } = recordsOf([run]);
    return discoveryOf(result, records);
  },

  async run(workspace, entries, options) {
    const packages = await packagesOf(workspace, entries);
    const start = startOf(packages, ["-run", patternOf(packages, options.only)]);
    const run = await runWritten(workspace, start, options, (written) =>
      readGoTests(packages, written).filter((finding) => isWanted(finding, options)),
    );
    const { result, records } = recordsOf([run]);
    const { testsMs: _, ...report } = reportOfRecords(result, records);
    return { ...report, command: [...start.argv], env: ENV };
  },
};

function startOf(packages: ReadonlyMap<string, GoPackage>, choice: readonly string[]): WrittenStart {
  const folders = [...packages.values()].map(({ folder }) => (folder === "" ? "." : `./${folder}`));
  return {
    // Builds everything, and has another program take the place of the tests.
    before: ["go", "test", "-exec", "true", ...folders],
    argv: ["go", "test", "-json", "-count=1", ...choice, ...folders],
    version: ["go", "env", "GOVERSION"],
    env: ENV,
    startMs: BUILD_MS,
  };
}

/** By import path. Go names packages, and a test's file is known from the sources alone. */
async function packagesOf(workspace: Workspace, entries: readonly string[]): Promise<Map<string, GoPackage>> {
  const [, root = ""] = /^module\s+(\S+)/m.exec(await textOf(workspace, "go.mod")) ?? [];
  const packages = new Map<string, { folder: string; files: Map<string, string> }>();
  for (const entry of entries) {
    const folder = dirname(entry) === "." ? "" : dirname(entry);
    const name = folder === "" ? root : `${root}/${folder}`;
    const { files } = packages.get(name) ?? { files: new Map<string, string>() };
    const source = await textOf(workspace, entry);
    for (const [, test = ""] of source.matchAll(/^func ((?:Test|Example|Fuzz)\w*)\s*\(/gm)) files.set(test, entry);
    packages.set(name, { folder, files });
  }
  return packages;
}

/** Empty for a file that is not there: Go itself says what is wrong with it. */
async function textOf(workspace: Workspace, path: string): Promise<string> {
  try {
    return Buffer.from(await workspace.read(path)).toString();
  } catch (error) {
    if (error instanceof NotFoundError) return "";
    throw error;
  }
}

function patternOf(packages: ReadonlyMap<string, GoPackage>, only?: readonly string[]): string {
  const tests = [...packages.values()].flatMap(({ files }) => [...files]);
  const whole = only && new Set(only.map((id) => id.replace(/(::[^/]*)\/.*$/s, "$1")));
  const wanted = tests.filter(([test, file]) => !whole || whole.has(`${file}::${test}`)).map(([test]) => test);
  return `^(${[...new Set(wanted)].join("|")})$`;
}

function isWanted(finding: Finding, { only }: RunnerOptions): boolean {
  if (!only) return true;
  if (finding.kind === "collected") return finding.ids.every((id) => only.includes(id));
  return finding.kind === "broken" || finding.kind === "crash" || only.includes(finding.id);
}
