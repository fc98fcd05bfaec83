import { createHash } from "node:crypto";
import {
  faultOf,
  type Oracle,
  SandboxError,
  type Suite,
  type TestResult,
  type TestRunner,
  unverified,
} from "@swarm/core";
import { chance, pick } from "./chance.ts";
import { INSENSITIVE } from "./model.ts";

/** Runs tests whose results are a matter of chance, always the same for the same files; `rate` of them pass. */
export function oddTests(seed: number, rate: number): TestRunner {
  return {
    async run(workspace, suites) {
      const state = createHash("sha256");
      const entries = await workspace.list(".", { recursive: true });
      for (const { path } of entries.filter(({ kind }) => kind === "file"))
        state.update(path).update(await workspace.read(path));
      const now = state.digest("hex");
      const ids = suites.map(({ id }) => id);
      if (chance("broken", seed, now, ids) < 0.03) throw new SandboxError("no space left");
      const results: TestResult[] = [];
      for (const file of suites.flatMap(({ entries }) => entries)) {
        for (const name of namesIn(Buffer.from(await workspace.read(file)).toString())) {
          const passes = chance("test", seed, now, file, name) < rate;
          const status = passes ? "passed" : pick(NOT_PASSED, "status", seed, now, name);
          if (status === "missing") continue;
          results.push({ id: `${file}::${name}`, file, status, message: "m", errorType: null, location: null });
        }
      }
      const isLate = chance("late", seed, now) < 0.05;
      const none = results.length === 0 ? faultOf({ code: "NO_TESTS", message: "no test ran" }) : null;
      const fault = isLate ? faultOf({ code: "TIMED_OUT", message: "too long" }) : none;
      return { report: { tests: results, fault }, durations: {} };
    },
  };
}

const NOT_PASSED = ["failed", "error", "skipped", "xfailed", "missing"] as const;

/** Admits what does not say that it is insensitive, and finds half of all work right. */
export function oddOracle(seed: number): Oracle {
  return {
    specificationVersion: "v1",
    validate() {},
    async prepare({ task: { testFiles: files } }, { sandbox }) {
      if (!files) return [];
      const snapshot = await sandbox.snapshots.put({ files });
      return [
        { id: "given", author: "task", runner: "pytest", snapshot, entries: Object.keys(files), tests: idsIn(files) },
      ];
    },
    async admit({ id, author, runner, files }: Suite, _, { sandbox }) {
      if (JSON.stringify(files).includes(INSENSITIVE))
        return { ok: false, fault: faultOf({ code: "SUITE_INSENSITIVE", message: "it passes on the starter" }) };
      const snapshot = await sandbox.snapshots.put({ files });
      const entries = Object.keys(files).sort();
      return { ok: true, output: { id, author, runner, snapshot, entries, tests: idsIn(files) } };
    },
    async verify({ final }) {
      const verdict = unverified("failed", "it is not right");
      return chance("verify", seed, final) < 0.5
        ? { ...verdict, passed: true, outcome: "passed", reasons: [] }
        : verdict;
    },
  };
}

function idsIn(files: Suite["files"]): string[] {
  return Object.entries(files).flatMap(([path, text]) => namesIn(String(text)).map((name) => `${path}::${name}`));
}

function namesIn(text: string): string[] {
  return [...text.matchAll(/^def (test_\w+)/gm)].map(([, name]) => name!);
}
