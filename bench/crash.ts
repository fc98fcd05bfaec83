// What a crash does to a run: killed and cut off at many places, resumed, and held against the run that was never disturbed.
// Without --all a sample. `--only generated`, `--only processes` or `--only mock` runs one of the parts.
import { type Crashed, crashTeams } from "../test/crash/in-memory.ts";
import { mockCuts } from "../test/crash/mock-run.ts";
import { crashProcesses } from "../test/crash/processes.ts";
import { printTable } from "./lib/compare.ts";

/** So many generated cases are told of as they are done: all of them take a while. */
const AT_ONCE = 1_000;
const TASKS = ["page-window", "shopping-cart"];

const all = process.argv.includes("--all");
const only = process.argv.includes("--only") ? process.argv[process.argv.indexOf("--only") + 1] : null;
const seed = 1;
const rows: string[][] = [];

/** Runs a part and adds its row. One that finds a difference fails with it, and ends the benchmark. */
async function part(kind: string, name: string, run: () => Promise<Crashed>): Promise<void> {
  if (only !== null && only !== kind) return;
  const started = performance.now();
  const { cases, crashes } = await run();
  const seconds = Math.round((performance.now() - started) / 1000);
  rows.push([name, cases.toLocaleString("en"), crashes.toLocaleString("en"), "0", String(seconds)]);
  process.stderr.write(`${name}: ${cases} runs, ${seconds} s\n`);
}

await part("generated", "generated teams, in memory", async () => {
  const sum: Crashed = { cases: 0, crashes: 0 };
  for (let batch = 0; batch < (all ? 10 : 1); batch++) {
    const { cases, crashes } = await crashTeams({ cases: all ? AT_ONCE : 300, seed: seed + batch });
    sum.cases += cases;
    sum.crashes += crashes;
    process.stderr.write(`${sum.cases} generated runs\n`);
  }
  return sum;
});
await part("processes", "generated teams, in processes killed by SIGKILL", () =>
  crashProcesses({ cases: all ? 50 : 5, seed }),
);
for (const task of TASKS) {
  const cuts = all ? { events: null, bytes: 200, kills: 10 } : { events: 6, bytes: 6, kills: 1 };
  await part("mock", `codeswarm on ${task}, cut after an event`, () =>
    mockCuts(task, { at: "events", most: cuts.events, seed }),
  );
  await part("mock", `codeswarm on ${task}, cut at a byte`, () =>
    mockCuts(task, { at: "bytes", most: cuts.bytes, seed }),
  );
  await part("mock", `codeswarm on ${task}, killed by SIGKILL`, () =>
    mockCuts(task, { at: "kills", most: cuts.kills, seed }),
  );
}
printTable("Runs that crashed, were resumed and compared", ["what", "runs", "crashes", "differ", "seconds"], rows);
