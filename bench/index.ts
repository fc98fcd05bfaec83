// What the index of a runs folder costs and gives: made over many logs, brought up with nothing changed, and asked, against
// reading every log. The number of logs may be given: npm run -s bench -- index 10000. Times are of one round each.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  faultOf,
  LOG_SCHEMA,
  type LogHeader,
  type Payload,
  parseLog,
  unverified,
  type Verdict,
  writeLine,
} from "@swarm/core";
import { askIndex, INDEX_FILE } from "@swarm/corpus";
import { printTable } from "./lib/compare.ts";

const LOGS = Number(process.argv[2] ?? 100_000);
const TASKS = 500;
const folder = mkdtempSync(join(tmpdir(), "swarm-bench-index-"));

const hash = (nth: number) => nth.toString(16).padStart(64, "0");
const tokens = { input: 1_200, output: 300, reasoning: 0, cacheRead: 0, cacheWrite: 0 };

/** The log of a small run: a plan, one step with a failure and, in two of three, a repair. */
function logOf(nth: number): string {
  const passed = nth % 3 > 0;
  const model = `bench:model-${nth % 4}`;
  const error = ["AssertionError", "TypeError", "IndexError", "KeyError"][(nth % 7) & 3]!;
  const fault = faultOf({ code: "TEST_FAILED", message: "1 of 3 tests failed.", errorType: error, retryable: true });
  const at = Date.UTC(2030, 0, 1) + nth * 1_000;
  const header: LogHeader = {
    ...{ schema: LOG_SCHEMA, runId: `run-${String(nth).padStart(6, "0")}`, taskSha256: hash(nth), base: hash(1) },
    task: { id: `task-${nth % TASKS}`, prompt: "Write what the tests ask for." },
    ...{ team: { name: "bench", version: "1", config: {} }, limits: {}, tier: "none", parent: null },
    prices: { [model]: { input: 3, output: 15 } },
    measured: { startedAt: new Date(at).toISOString() },
  };
  const verdict: Verdict = passed
    ? { ...unverified("failed", ""), passed: true, outcome: "verified", reasons: [] }
    : unverified("failed", "a test failed");
  const ask = (n: number): Payload[] => [
    {
      type: "begin",
      call: {
        op: "model",
        model,
        thread: "coder",
        keep: 0,
        add: [say("x".repeat(300))],
        settings: hash(2),
        sha256: hash(n),
      },
      effect: "none",
      reserve: tokens,
    },
    { type: "end", of: `0.${n}`, value: answer, fault: null, snapshot: hash(1), tokens },
  ];
  const step = {
    stepId: "run/implement",
    program: "implement",
    input: {},
    snapshot: hash(1),
    suites: [],
    maxRetries: 1,
    timeoutMs: 1,
  };
  const result = { stepId: "run/implement", attempts: 2, snapshot: hash(1) };
  const payloads: Payload[] = [
    { type: "step", step },
    { type: "attempt", snapshot: hash(1), hint: null },
    ...ask(2),
    { type: "fault", of: null, fault, signature: `${error}|implement|src/a.py|tests/test_${nth % 40}.py::test_a` },
    ...ask(5),
    { type: "result", result: passed ? { ...result, ok: true, output: {} } : { ...result, ok: false, fault } },
    { type: "verdict", verdict },
  ];
  const events = payloads.map((payload, n) => ({
    tsIndex: n,
    stepId:
      payload.type === "step" || payload.type === "result" || payload.type === "verdict" ? "run" : "run/implement",
    key: `0.${n}`,
    kind: "agent" as const,
    agent: "coder",
    payload: { ...payload, measured: { at: at + n * 10, elapsedMs: n * 10 } },
  }));
  return [header, ...events].map((line) => `${writeLine(line)}\n`).join("");
}

function say(text: string) {
  return { role: "user" as const, parts: [{ type: "text" as const, text }] };
}
const answer = { parts: say("y".repeat(300)).parts, stop: "end", tokens };

type Time = { ms: number; cpuMs: number };

/** Wall time, and that of the processor: on a busy machine the second says more. */
async function timed<T>(work: () => Promise<T> | T): Promise<Time> {
  const started = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { ms: performance.now() - started, cpuMs: (user + system) / 1000 };
}

mkdirSync(folder, { recursive: true });
for (let nth = 0; nth < LOGS; nth++)
  writeFileSync(join(folder, `run-${String(nth).padStart(6, "0")}.jsonl`), logOf(nth));

const readAll = await timed(() => {
  for (const name of readdirSync(folder)) if (name.endsWith(".jsonl")) parseLog(readFileSync(join(folder, name)));
});
const rows: [string, Time][] = [["read every log", readAll]];
const ask = async (name: string, work: Parameters<typeof askIndex>[1]) =>
  rows.push([name, await timed(() => askIndex(folder, work))]);
await ask("make the index", () => 0);
await ask("bring it up, nothing changed", () => 0);
await ask("ls: the last 20", (index) => index.list({}, { limit: 20 }));
await ask("ls: failed, by signature and task", (index) =>
  index.list({ outcomes: ["failed"], signature: "TypeError", task: "task-1*" }, { limit: 20 }),
);
await ask("ls: all", (index) => index.list());
await ask("stats", (index) => index.stats({}, { limit: 10 }));
await ask("stats of one model", (index) => index.stats({ model: "bench:model-1" }, { limit: 10 }));

const size = statSync(join(folder, INDEX_FILE)).size;
const megabytes = (bytes: number) => (bytes / 1e6).toFixed(0);
printTable(
  `${LOGS.toLocaleString("en")} logs of ${readFileSync(join(folder, "run-000000.jsonl")).length} bytes; the index has ${megabytes(size)} MB`,
  ["what", "ms", "processor ms", "of reading every log"],
  rows.map(([name, { ms, cpuMs }]) => [name, ms.toFixed(0), cpuMs.toFixed(0), (cpuMs / readAll.cpuMs).toFixed(4)]),
);
console.log(
  `\nEvery line but the first and second holds the bringing up. Peak memory: ${megabytes(process.resourceUsage().maxRSS * 1024)} MB.`,
);

rmSync(folder, { recursive: true });
