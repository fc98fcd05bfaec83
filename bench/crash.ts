// What a crash does to a run: killed and cut off at many places, resumed, and held against the run that was never disturbed.
// Without --all a sample. `--only generated`, `--only processes` or `--only <team>` runs one of the parts, `--task <id>` one task,
// `--at events`, `--at bytes` or `--at kills` one way of a team's.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { TEAM_NAMES } from "../packages/cli/src/teams/names.ts";
import { type Crashed, crashTeams } from "../test/crash/in-memory.ts";
import { cutOff, recordMockRun } from "../test/crash/mock-run.ts";
import { crashProcesses } from "../test/crash/processes.ts";
import { printTable } from "./lib/compare.ts";

/** So many generated cases are told of as they are done: all of them take a while. */
const AT_ONCE = 1_000;

const { values } = parseArgs({
  options: {
    all: { type: "boolean", default: false },
    only: { type: "string" },
    at: { type: "string" },
    task: { type: "string", multiple: true, default: ["page-window", "shopping-cart"] },
  },
});
const { all, only } = values;
const seed = 1;
const rows: string[][] = [];

/** Runs a part and adds its row. One that finds a difference fails with it, and ends the benchmark. */
async function part(kind: string, name: string, run: () => Promise<Crashed>): Promise<void> {
  if (only !== undefined && only !== kind) return;
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
for (const team of TEAM_NAMES) {
  if (only !== undefined && only !== team) continue;
  for (const taskId of values.task) {
    const cuts = all ? { events: null, bytes: 200, kills: 10 } : { events: 6, bytes: 6, kills: 1 };
    const folder = mkdtempSync(join(tmpdir(), "swarm-crash-"));
    const recorded = await recordMockRun({ team, taskId }, folder);
    const cut = async (how: string, at: keyof typeof cuts) => {
      if (values.at !== undefined && values.at !== at) return;
      await part(team, `${team} on ${taskId}, ${how}`, () => cutOff(recorded, { at, most: cuts[at], seed }));
    };
    await cut("cut after an event", "events");
    await cut("cut at a byte", "bytes");
    await cut("killed by SIGKILL", "kills");
    rmSync(folder, { recursive: true });
  }
}
if (rows.length === 0) throw new Error("no part goes by what --only and --at say");
printTable("Runs that crashed, were resumed and compared", ["what", "runs", "crashes", "differ", "seconds"], rows);
