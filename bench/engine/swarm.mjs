// The loop with Swarm: its team `selfHealing` as it is.
import { selfHealing } from "@swarm/agents";
import { memoryLogStore, runTask } from "@swarm/core";
import { memorySandbox } from "@swarm/core/testing";
import { answerOf, counts, MOST_REPAIRS, runTests, TOKENS, task } from "./loop.mjs";

const model = {
  specificationVersion: "v1",
  id: "instant:model",
  window: null,
  price: null,
  async complete({ system, turns }, { at }) {
    const parts = turns.flatMap((turn) => turn.parts);
    const afterTool = parts.at(-1).type === "result";
    const shown = system + parts.map(({ text, args, output }) => text ?? output ?? JSON.stringify(args)).join("");
    const { text, write } = answerOf(at.role, { afterTool, shown });
    if (write) counts.writes += 1;
    return {
      parts: write ? [{ type: "tool", id: "call_0", tool: "write_file", args: write }] : [{ type: "text", text }],
      stop: write ? "tool" : "end",
      tokens: { ...TOKENS, reasoning: 0, cacheRead: 0, cacheWrite: 0 },
    };
  },
};

const given = { id: "bench", prompt: task.prompt, source: { files: task.files }, testFiles: task.tests };

export async function contender({ store = memoryLogStore(), sandbox = memorySandbox(), testIn = testCopy } = {}) {
  const team = selfHealing({ model, maxDebugIterations: MOST_REPAIRS });
  return async () => {
    let last = null;
    const tests = {
      async run(workspace, _suites, options) {
        last = await testIn(workspace, options);
        return { report: { tests: [resultOf(last)], fault: null }, durations: {} };
      },
    };
    const { verdict, report } = await runTask(given, { team, store, sandbox, tests, oracle: oracleOf(() => last) });
    return { ...report, passed: verdict.passed };
  };
}

/** As the other contenders run them: in a folder that is made for it. */
export async function testCopy(workspace) {
  const paths = (await workspace.list("", { recursive: true })).filter(({ kind }) => kind === "file");
  const contents = await Promise.all(paths.map(async ({ path }) => [path, await workspace.read(path)]));
  return await runTests(Object.fromEntries(contents));
}

function resultOf({ passed, output }) {
  const [file] = Object.keys(task.tests);
  const outcome = passed
    ? { status: "passed", message: null, errorType: null }
    : { status: "failed", message: output, errorType: "AssertionError" };
  return { id: `${file}::all`, file, location: null, ...outcome };
}

/** Trusts the last test run, as the other contenders do, and so runs none of its own. */
function oracleOf(last) {
  return {
    specificationVersion: "v1",
    validate() {},
    async prepare(_given, { sandbox }) {
      const snapshot = await sandbox.snapshots.put({ files: task.tests });
      const entries = Object.keys(task.tests);
      return [{ id: "given", author: "task", runner: "given", snapshot, entries, tests: [] }];
    },
    admit: () => Promise.reject(new Error("the task brings its tests")),
    async verify() {
      const { passed } = last();
      return {
        passed,
        outcome: passed ? "verified" : "failed",
        oracle: "given",
        signals: { testsPassed: passed ? 1 : 0, testsFailed: passed ? 0 : 1 },
        reasons: [],
        tampering: [],
        evidence: {},
      };
    },
  };
}
