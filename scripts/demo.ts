import { execFileSync } from "node:child_process";
import { processIO, runCli } from "@swarm/cli";

/** A Python and a JavaScript task, each from its plan to its verdict, with the scripted model: `npm run demo`. */
const PYTHON = "binary-search-tree";
const JAVASCRIPT = "linked-list";

const io = processIO();
const say = (text: string) => io.stderr.write(`${text}\n`);

function hasPytest(): boolean {
  try {
    execFileSync("python3", ["-m", "pytest", "--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const tasks = hasPytest() ? [PYTHON, JAVASCRIPT] : [JAVASCRIPT];
for (const [index, task] of tasks.entries()) {
  say(`\n── task ${index + 1} of ${tasks.length}: swarm run --task ${task} --mock ──\n`);
  const code = await runCli(["run", "--task", task, "--mock"], io);
  if (code !== 0) process.exit(code);
}
if (!tasks.includes(PYTHON)) {
  say("\nThe Python task was left out, since python3 with pytest was not found. To get the rest, install it");
  say("(python3 -m pip install pytest, or apt-get install python3-pytest) and run the demo again.");
}
say("\nThe trajectories are in runs/. Look at the last one with: npm run -s swarm -- show latest");
say("More, from a requirement in plain words: npm run -s swarm -- run demo-rate-limiter --team self-healing --mock");
