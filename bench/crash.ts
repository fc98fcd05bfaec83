// What a crash does to a run: killed and cut off at many places, resumed, and held against the run that was never disturbed.
// Without --all a sample. `--only generated|processes|mock` runs one of the parts.
import fc from "fast-check";
import { crashInMemory } from "../test/crash/in-memory.ts";
import { mockCuts } from "../test/crash/mock-run.ts";
import { crashes, plans } from "../test/crash/plan.ts";
import { crashProcesses } from "../test/crash/processes.ts";
import { printTable } from "./lib/compare.ts";

const all = process.argv.includes("--all");
const only = process.argv[process.argv.indexOf("--only") + 1];
const seed = 1;
const wanted = (part: string) => !process.argv.includes("--only") || only === part;
const rows: string[][] = [];

/** Runs a part and adds its row. A failure is told as it is, and ends the benchmark. */
async function part(name: string, run: () => Promise<{ cases: number; crashes: number }>): Promise<void> {
  const started = performance.now();
  const { cases, crashes } = await run();
  const seconds = Math.round((performance.now() - started) / 1000);
  rows.push([name, cases.toLocaleString("en"), crashes.toLocaleString("en"), "0", String(seconds)]);
}

if (wanted("generated")) {
  await part("generated teams, in memory", async () => {
    const cases = all ? 10_000 : 300;
    let count = 0;
    const property = fc.asyncProperty(plans, crashes, async (plan, given) => {
      count += given.length;
      await crashInMemory(plan, given);
    });
    await fc.assert(property, { numRuns: cases, seed, endOnFailure: !all });
    return { cases, crashes: count };
  });
}
if (wanted("processes")) {
  await part("generated teams, processes killed by SIGKILL", () => crashProcesses({ cases: all ? 50 : 5, seed }));
}
if (wanted("mock")) {
  for (const task of ["page-window", "shopping-cart"]) {
    await part(`codeswarm on ${task}, cut after an event`, () =>
      mockCuts(task, { at: "events", most: all ? null : 6, seed }),
    );
    await part(`codeswarm on ${task}, cut at a byte`, () => mockCuts(task, { at: "bytes", most: all ? 200 : 6, seed }));
    await part(`codeswarm on ${task}, killed by SIGKILL`, () =>
      mockCuts(task, { at: "kills", most: all ? 10 : 1, seed }),
    );
  }
}
printTable("Runs that crashed, were resumed and compared", ["what", "runs", "crashes", "differ", "seconds"], rows);
