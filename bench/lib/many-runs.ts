import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  createGuard,
  defineProgram,
  fileLogStore,
  JsonObjectSchema,
  JsonSchema,
  type Oracle,
  type Outcome,
  runTask,
  type Sandbox,
  type Task,
  type Team,
  type TestRunner,
  type Tool,
} from "@swarm/core";
import { scripted } from "@swarm/core/testing";

/** What a process has at one moment that runs could have left. */
export type Holdings = {
  /** Commands of the runs that are still there. */
  processes: number;
  mounts: number;
  /** What is in the temporary folder. */
  folders: string[];
  descriptors: number;
  /** Bytes of this process's heap that are in use, after garbage collection. */
  heap: number;
};

export type ManyRuns = {
  sandbox: Sandbox;
  /** For the logs, and for a directory that each run works for. */
  folder: string;
  runs: number;
  /** How many are under way at once. */
  concurrency: number;
};

/**
 * Runs that each do what leaves things behind: daemons, a background child that holds the output, a command over its time,
 * much output, an open channel, a directory to work for; and every tenth is aborted amid it. Gives their outcomes.
 */
export async function manyRuns({ sandbox, folder, runs, concurrency }: ManyRuns): Promise<Outcome[]> {
  const store = fileLogStore(join(folder, "runs"));
  const guard = createGuard();
  const outcomes: Outcome[] = [];
  let next = 0;
  const work = async () => {
    while (next < runs) {
      const number = next++;
      const workspace = join(folder, `directory-${number}`);
      const abort = new AbortController();
      const team = teamOf(sandbox, number % 10 === 9 ? () => abort.abort(new Error("enough")) : () => {});
      const { verdict } = await runTask(TASK, { team, store, guard, workspace, signal: abort.signal });
      outcomes.push(verdict.outcome);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  guard.dispose();
  return outcomes;
}

/** Seconds that no other command of this machine sleeps: by which those of the runs are found. */
export const SLEEP = `61.${process.pid}`;

export function holdings(temporary: string): Holdings {
  return {
    processes: readdirSync("/proc").filter((name) => /^\d+$/.test(name) && commandOf(name).includes(`sleep\0${SLEEP}`))
      .length,
    mounts: readFileSync("/proc/self/mountinfo", "utf8").split("\n").length,
    folders: readdirSync(temporary).filter((name) => name.startsWith("swarm-")),
    descriptors: readdirSync("/proc/self/fd").length,
    heap: usedHeap(),
  };
}

/** Bytes of this process's heap that are in use, after garbage collection. */
export function usedHeap(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().heapUsed;
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return ""; // It has just ended.
  }
}

const TASK: Task = { id: "leftovers", prompt: "Leave something behind.", source: { files: { "a.txt": "1\n" } } };

const COMMANDS = [
  `setsid sleep ${SLEEP} & (setsid sleep ${SLEEP} >/dev/null 2>&1 &) & echo 2 > b.txt`,
  `sleep ${SLEEP} & seq 20000`,
  `trap '' TERM; sleep ${SLEEP}`,
];

function teamOf(sandbox: Sandbox, atSecondCommand: () => void): Team {
  const uses = COMMANDS.map((script) => [{ tool: "sh", args: { script } }]);
  const model = scripted("scripted:leftovers", ({ nth }) => uses[nth] ?? "Done.");
  const sh: Tool<{ script: string }> = {
    name: "sh",
    description: "Runs a script.",
    input: JsonObjectSchema as never,
    effect: "workspace",
    idempotent: false,
    async call({ script }, { workspace, signal }) {
      if (script === COMMANDS[1]) setTimeout(atSecondCommand, 5);
      const limit = script === COMMANDS[2] ? 50 : 20_000;
      const { output } = await workspace.exec(["sh", "-c", script], { signal, timeoutMs: limit, channel: true });
      return { ok: true, output };
    },
  };
  const program = defineProgram({
    name: "leave",
    input: JsonSchema,
    output: JsonSchema,
    async attempt(context) {
      const coder = context.role("coder");
      for (;;) {
        const { parts } = await coder.ask({ turns: [] });
        const calls = parts.filter((part) => part.type === "tool");
        if (calls.length === 0) return context.done(null);
        await coder.use(calls);
      }
    },
  });
  return {
    specificationVersion: "v1",
    name: "leftovers",
    version: "1",
    config: {},
    roles: { coder: { models: [model], system: "", tools: [sh] } },
    programs: [program],
    workflow: async (run) => (await run.step(program, null)).ok,
    defaults: { sandbox: () => sandbox, tests: () => NO_TESTS, oracle: () => ORACLE },
  };
}

const NO_TESTS: TestRunner = { run: async () => ({ report: { tests: [], fault: null }, durations: {} }) };

/** Opens a room as a real one does, and passes what comes out of the commands. */
const ORACLE: Oracle = {
  specificationVersion: "v1",
  validate() {},
  prepare: async () => [],
  admit: () => Promise.reject(new Error("no suite is written")),
  async verify({ final }, { sandbox, signal }) {
    await using workspace = await sandbox.open({ snapshot: final, lane: "oracle" }, { signal });
    const { code } = await workspace.exec(["cat", "b.txt"], { signal, timeoutMs: 20_000 });
    return {
      passed: code === 0,
      outcome: code === 0 ? "verified" : "failed",
      oracle: "given",
      signals: { testsPassed: 1, testsFailed: 0 },
      reasons: [],
      tampering: [],
      evidence: {},
    };
  },
};
