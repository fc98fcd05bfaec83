// What many runs at once leave of themselves: nothing, and no memory with their number. Give the number of runs and how many
// at once, by default 500 and 16. Ends with 1 when something is left.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { localSandbox } from "@swarm/sandbox";
import { holdings, manyRuns } from "./lib/many-runs.ts";

const [runs = 500, concurrency = 16] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), "swarm-bench-"));
const temporary = join(folder, "tmp");
mkdirSync(temporary);
process.env["TMPDIR"] = temporary;

for (const isolation of ["none", "preferred"] as const) {
  const sandbox = localSandbox({ store: join(folder, "objects"), isolation });
  if (isolation === "preferred" && sandbox.tier === "process") {
    console.log("\nBubblewrap does not work here: only plain processes were measured.");
    break;
  }
  const batch = (runs: number) => manyRuns({ sandbox, folder: mkdtempSync(join(folder, "batch-")), runs, concurrency });
  const warmUp = Math.ceil(runs / 5);
  await batch(warmUp); // what grows once, such as compiled code and caches, has grown by then
  const before = holdings(temporary);
  const started = performance.now();
  const outcomes = await batch(runs);
  const seconds = (performance.now() - started) / 1000;
  const after = holdings(temporary);

  const counts = Object.entries(Object.groupBy(outcomes, (outcome) => outcome)).map(
    ([name, all]) => `${all?.length} ${name}`,
  );
  const growth = (after.heap - before.heap) / runs;
  console.log(
    `\n${runs} runs at concurrency ${concurrency}, tier ${sandbox.tier}: ${counts.join(", ")}; ${seconds.toFixed(0)} s`,
  );
  console.log(`processes ${before.processes} → ${after.processes}, mounts ${before.mounts} → ${after.mounts}`);
  console.log(
    `temporary folders ${before.folders.length} → ${after.folders.length}, descriptors ${before.descriptors} → ${after.descriptors}`,
  );
  console.log(`heap ${mb(before.heap)} → ${mb(after.heap)} MB: ${(growth / 1024).toFixed(2)} kB a run`);
  const isLeft =
    after.processes > 0 ||
    after.mounts > before.mounts ||
    after.folders.length > 0 ||
    after.descriptors > before.descriptors ||
    growth > 10 * 1024;
  if (isLeft) process.exitCode = 1;
}
rmSync(folder, { recursive: true });

function mb(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}
