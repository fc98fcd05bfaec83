// A generated run in a process of its own, which may be killed: begins it, or goes on with it where its log is.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileLogStore, resumeRun, startRun } from "@swarm/core";
import { generatedTeam, task, witnessIn } from "./team.ts";

const [folder = "", life = ""] = process.argv.slice(2);
const plan = JSON.parse(readFileSync(join(folder, "plan.json"), "utf8"));
const witness = witnessIn(join(folder, `witness-${life}.jsonl`));
const team = generatedTeam({ plan, witness: () => witness, store: join(folder, "objects"), delayMs: 2 });
const store = fileLogStore(join(folder, "runs"));
const goesOn = existsSync(join(folder, "runs", "run.jsonl"));
const run = goesOn ? resumeRun("run", { team, store }) : startRun(task, { team, store, runId: "run" });
await run.result;
