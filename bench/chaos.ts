// What may happen to steps that run elsewhere: workers, servers, networks and disks fail amid runs of `codeswarm` by a script, at each
// event or at many, and each run is held against the undisturbed one. Network, disk: root. `--only <executor>` and `--case <name>` run a part,
// `--most <places>` a sample, which `--seed` draws. Ends with 1 when a run differs.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CASES, tryCase } from "../test/chaos/cases.ts";
import { EXECUTORS, undisturbed } from "../test/chaos/site.ts";
import { printTable } from "./lib/compare.ts";
import { wholeNumber } from "./lib/whole-number.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    case: { type: "string" },
    most: { type: "string" },
    seed: { type: "string", default: "1" },
  },
});
const most = values.most === undefined ? null : wholeNumber("most", values.most);
const seed = wholeNumber("seed", values.seed);
const executors = chosen("only", EXECUTORS, values.only);
const cases = chosen("case", CASES, values.case);

const folder = mkdtempSync(join(tmpdir(), "swarm-bench-chaos-"));
const rows: string[][] = [];
try {
  const whole = await undisturbed(folder);
  for (const executor of executors) {
    for (const name of cases) {
      const started = performance.now();
      const tried = await tryCase(name, { executor, folder, whole, most, seed });
      const seconds = String(Math.round((performance.now() - started) / 1000));
      if (typeof tried === "string") {
        rows.push([executor, name, "0", `not run: ${tried}`, "", ""]);
        continue;
      }
      const { ended, problems } = tried;
      const ends = [...ended].map(([outcome, count]) => `${count} ${outcome}`).join(", ");
      const runs = [...ended.values()].reduce((sum, count) => sum + count, 0) + problems.length;
      rows.push([executor, name, String(runs), ends, String(problems.length), seconds]);
      process.stderr.write(`${rows.at(-1)?.join(" | ")}\n${problems.map((problem) => `  ${problem}\n`).join("")}`);
      if (problems.length > 0) process.exitCode = 1;
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
printTable("What happened to remote steps", ["executor", "case", "runs", "ended", "differ", "seconds"], rows);

function chosen<T extends string>(flag: string, all: readonly T[], given: string | undefined): readonly T[] {
  if (given === undefined) return all;
  const found = all.find((name) => name === given);
  if (found !== undefined) return [found];
  console.error(`--${flag}: ${JSON.stringify(given)} is none of ${all.join(", ")}`);
  process.exit(2);
}
