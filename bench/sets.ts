// Whether the oracle is right at scale: over public task sets, every reference solution has to be accepted and every starter
// rejected, apart from tasks that their set gets wrong, which are listed in lib/set-exceptions.ts with the reason.
//
//     npm run -s bench -- sets --data <folder> [--sample 20] [--set humaneval] [--at 2]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Files, Verdict } from "@swarm/core";
import { builtInRunners, cleanRoomOracle } from "@swarm/oracle";
import { localSandbox } from "@swarm/sandbox";
import { readTaskSet, type SetTask } from "@swarm/tasks";
import { SET_EXCEPTIONS } from "./lib/set-exceptions.ts";

const SETS = [
  ...["humaneval", "mbpp-sanitized", "quixbugs", "humanevalfix-python", "humanevalfix-js", "exercism-python"],
  ...["exercism-javascript-nodetest", "exercism-javascript-vitest", "exercism-typescript-vitest"],
];

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    sample: { type: "string" },
    set: { type: "string", multiple: true, default: SETS },
    at: { type: "string", default: "2" },
  },
});
if (values.data === undefined) {
  console.error(
    "usage: npm run -s bench -- sets --data <folder of .jsonl files> [--sample <n of each>] [--set <name>]",
  );
  process.exit(2);
}

const store = mkdtempSync(join(tmpdir(), "swarm-sets-"));
const sandbox = localSandbox({ store });
const { signal } = new AbortController();
const context = { sandbox, signal };
const runners = builtInRunners({ from: join(import.meta.dirname, "../packages/oracle") });
const oracle = cleanRoomOracle({ runners });

/** What both deliveries of a task came to. */
type Judged = { id: string; solution: Verdict; starter: Verdict; seconds: number; starterPasses: boolean };

let surprises = 0;
const began = performance.now();
console.log(`tier ${sandbox.tier}, ${values.at} tasks at once\n`);
console.log(
  "| set | tasks | solutions verified | passed | not accepted | starters rejected | not rejected | s a task |",
);
console.log("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
for (const name of values.set) await judgeSet(name, join(values.data, `${name}.jsonl`));
console.log(`\n${surprises} surprises in ${Math.round((performance.now() - began) / 1000)} s`);
rmSync(store, { recursive: true, force: true });
process.exitCode = surprises === 0 ? 0 : 1;

async function judgeSet(name: string, path: string): Promise<void> {
  const all = await Array.fromAsync(readTaskSet(path));
  const tasks = sampleOf(all, values.sample === undefined ? all.length : Number(values.sample));
  const judged = await atOnce(tasks, Number(values.at), judge);
  const seconds = judged.reduce((sum, one) => sum + one.seconds, 0) / judged.length;
  const solutions = (outcome: string) => judged.filter(({ solution }) => solution.outcome === outcome).length;
  const accepted = judged.filter(({ solution }) => solution.passed).length;
  const rejected = judged.filter(({ starter }) => !starter.passed).length;
  const counts = [
    solutions("verified"),
    solutions("passed"),
    tasks.length - accepted,
    rejected,
    tasks.length - rejected,
  ];
  const size = tasks.length === all.length ? `${all.length}` : `${tasks.length} of ${all.length}`;
  console.log(`| ${[name, size, ...counts, seconds.toFixed(1)].join(" | ")} |`);
}

/** Spread over the set, and the same each time. */
function sampleOf(tasks: readonly SetTask[], size: number): SetTask[] {
  const most = Math.min(size, tasks.length);
  return Array.from({ length: most }, (_, n) => tasks[Math.floor((n * tasks.length) / most)]!);
}

async function judge({ id, task, solution, starterPasses }: SetTask): Promise<Judged> {
  const started = performance.now();
  const starter: Files = { ...("files" in task.source ? task.source.files : {}), ...task.testFiles };
  const { snapshots } = sandbox;
  const base = await snapshots.put({ files: starter });
  const final = await snapshots.put({ files: { ...starter, ...solution } });
  const suites = await oracle.prepare({ task, base }, context);
  const verdict = (candidate: string) =>
    oracle.verify({ task, base, final: candidate, suites, depth: "full" }, context);
  const verdicts = { solution: await verdict(final), starter: await verdict(base) };
  const judged = { id, ...verdicts, starterPasses, seconds: (performance.now() - started) / 1000 };
  tell(judged);
  return judged;
}

/** Runs `work` on each item, on at most `most` at a time. The results are in the items' order. */
async function atOnce<T, R>(items: readonly T[], most: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const worker = async () => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: most }, worker));
  return results;
}

/** A task that did not come out as it has to, with the reason where it is known. */
function tell({ id, solution, starter, starterPasses }: Judged): void {
  const known = starterPasses ? "the tests pass on the starter by design" : SET_EXCEPTIONS[id];
  for (const [what, { outcome, passed, reasons }, right] of [
    ["solution", solution, true],
    ["starter", starter, false],
  ] as const) {
    if (passed === right) continue;
    if (known === undefined) surprises += 1;
    console.error(`  ${id}: ${what} ${outcome}: ${known ?? reasons.slice(0, 6).join("; ")}`);
  }
}
