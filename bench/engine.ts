// What the engine costs beside the model and the tests: the self-healing loop, with an architect, a developer, two test runs, a
// repair and a report, against the same loop in LangGraph.js, Mastra and the OpenAI Agents SDK. The loops are in `engine/`, one a
// file; their model answers at once. Each contender is installed in a folder of its own, Swarm from its packed packages, and
// measured in processes of its own, in turn. The figures are medians over the rounds.
//
//     npm run -s bench -- engine [--rounds 5] [--runs 200] [--tests 5]
//
// `--runs` is how many runs of a process are measured that have no test process, and `--tests` how many that have pytest.
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { selfHealing } from "@swarm/agents";
import { messageOf, toolSpec } from "@swarm/core";
import { scripted } from "@swarm/core/testing";
import { loadTask } from "@swarm/tasks";
import { median, printTable } from "./lib/compare.ts";
import { installed, installIn, packed, sizeOf, type Wanted } from "./lib/installed.ts";
import { wholeNumber } from "./lib/whole-number.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    runs: { type: "string", default: "200" },
    tests: { type: "string", default: "5" },
  },
});
const rounds = wholeNumber("rounds", values.rounds);
const runs = wholeNumber("runs", values.runs);
const tested = wholeNumber("tests", values.tests);

const ZOD = { zod: "4.6.7" };
const LANGGRAPH = { "@langchain/langgraph": "1.7.3", "@langchain/core": "1.4.0", ...ZOD };
const MASTRA = { "@mastra/core": "1.71.0", ...ZOD };
const OPENAI_AGENTS = { "@openai/agents": "0.20.0", ...ZOD };
const SQLITE_SAVER = { "@langchain/langgraph-checkpoint-sqlite": "1.0.4" };
const LIBSQL = { "@mastra/libsql": "1.23.1" };

/** A way to do the loop: the file that holds it, and what it imports; null is Swarm as it is packed here. */
type Contender = { name: string; module: string; packages: Wanted | null };

const BARE: Contender = { name: "the test runs alone", module: "bare", packages: ZOD };
const IN_MEMORY: readonly Contender[] = [
  { name: "Swarm", module: "swarm", packages: null },
  { name: "LangGraph.js, MemorySaver", module: "langgraph", packages: LANGGRAPH },
  { name: "Mastra, InMemoryStore", module: "mastra", packages: MASTRA },
  { name: "OpenAI Agents SDK", module: "openai-agents", packages: OPENAI_AGENTS },
];
const DURABLE: readonly Contender[] = [
  { name: "Swarm, synced log, workspace on disk", module: "swarm-durable", packages: null },
  { name: "LangGraph.js, SqliteSaver", module: "langgraph-durable", packages: { ...LANGGRAPH, ...SQLITE_SAVER } },
  { name: "Mastra, LibSQLStore", module: "mastra-durable", packages: { ...MASTRA, ...LIBSQL } },
];

const WARM_UP = 50;
const NO_PROCESS = null;
const PYTEST = "env PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 python3 -m pytest -q -p no:cacheprovider".split(" ");

type Spent = { ms: number; cpuMs: number };
/** What `engine/measure.mjs` prints; bytes and milliseconds. */
type Measured = {
  imported: Spent;
  firstRun: Spent;
  characters: number;
  rss: number;
  heap: number;
  peak: number;
  walls: number[];
  cpuMs: number;
  kept: number;
};
type Figures = { instant: Measured[]; pytest: Measured[] };

const folder = mkdtempSync(join(tmpdir(), "swarm-bench-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

const material = JSON.stringify(await materialOf("duration-format"));
const homes = await install([BARE, ...IN_MEMORY, ...DURABLE]);
const measured = await measureInTurn([...homes.keys()]);
report();

/** The task, and what each contender gives and is given, so that it is the same for all. */
async function materialOf(id: string) {
  const { task, mock } = await loadTask(id);
  if (mock === null || !("files" in task.source)) throw new Error(`${id} has no scripted delivery`);
  const roles = Object.entries(selfHealing({ model: scripted("bench:none", {}) }).roles);
  const delivery = (files: object, says: string) => {
    const [path, content] = Object.entries(files)[0]!;
    return { file: { path, content }, says };
  };
  return {
    task: { prompt: task.prompt, files: task.source.files, tests: task.testFiles },
    systems: Object.fromEntries(roles.map(([name, { system }]) => [name, system])),
    tools: Object.fromEntries(roles.map(([name, { tools }]) => [name, tools.map(toolSpec)])),
    specification: mock.plan.instructions,
    wrong: delivery(mock.wrong.files, mock.wrong.says),
    right: delivery(mock.right.files, mock.hint),
    report: mock.right.says,
    failure: "E   AssertionError: the text of a failure, as long as one is that was condensed\n".repeat(3),
  };
}

/** The folders of those that can be installed. Of the others it says why they cannot. */
async function install(contenders: readonly Contender[]): Promise<Map<Contender, string>> {
  const swarm = join(folder, "swarm");
  const tarballs = join(folder, "packed");
  mkdirSync(tarballs);
  console.error("Packing and installing; the first time this takes minutes.");
  await installIn(swarm, { ...(await packed("@swarm/agents", tarballs)), ...ZOD });
  const homes = new Map<Contender, string>();
  for (const contender of contenders) {
    try {
      const home = contender.packages === null ? swarm : await installed(contender.packages);
      cpSync(join(import.meta.dirname, "engine"), home, { recursive: true });
      writeFileSync(join(home, "material.json"), material);
      homes.set(contender, home);
    } catch (error) {
      console.error(`${contender.name} is left out, since it cannot be installed here:\n${error}`);
    }
  }
  return homes;
}

async function measureInTurn(contenders: readonly Contender[]): Promise<Map<Contender, Figures>> {
  const figures = new Map<Contender, Figures>(contenders.map((one) => [one, { instant: [], pytest: [] }]));
  for (let round = 1; round <= rounds; round++) {
    console.error(`Round ${round} of ${rounds}`);
    for (const [contender, { instant, pytest }] of figures) {
      const home = homes.get(contender)!;
      try {
        instant.push(await measure(contender, home, NO_PROCESS, WARM_UP, runs));
        pytest.push(await measure(contender, home, PYTEST, 1, tested));
      } catch (error) {
        console.error(`${contender.name} is left out, since its process failed:\n${messageOf(error).slice(0, 1_000)}`);
        figures.delete(contender);
      }
    }
  }
  return figures;
}

async function measure({ module }: Contender, home: string, command: unknown, warmUp: number, runs: number) {
  const own = mkdtempSync(join(folder, "tmp-"));
  const { PATH, HOME } = process.env; // and nothing else, such as a key with which somebody would trace
  const env = { PATH, HOME, TMPDIR: own, TEST_COMMAND: JSON.stringify(command) };
  const args = ["--expose-gc", join(home, "measure.mjs"), module, `${warmUp}`, `${runs}`];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env, cwd: own });
  rmSync(own, { recursive: true, force: true });
  return JSON.parse(stdout) as Measured;
}

function report(): void {
  console.log(`${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${machine()}; ${rounds} rounds.`);
  const both = (contenders: readonly Contender[]) => contenders.filter((one) => measured.has(one));
  printCosts(`Log in memory: what a run costs beside its tests, of ${runs} runs in a process`, both(IN_MEMORY));
  printTests("The same with two runs of pytest", both([BARE, ...IN_MEMORY]));
  printStart(both(IN_MEMORY));
  printCosts(`Durable: what a run costs beside its tests`, both(DURABLE));
  printTests("The same with two runs of pytest", both([BARE, ...DURABLE]));
}

function printCosts(title: string, contenders: readonly Contender[]): void {
  const rows = contenders.map((contender) => {
    const own = figureOf(contender, "instant");
    const first = figureOf(contenders[0]!, "instant");
    const cpuMs = own((one) => one.cpuMs);
    return [
      contender.name,
      own(wallMs).toFixed(2),
      cpuMs.toFixed(2),
      (cpuMs / first((one) => one.cpuMs)).toFixed(2),
      (own((one) => one.kept) / 1e3).toFixed(0),
      megabytes(own((one) => one.heap)),
      megabytes(own((one) => one.peak)),
      (own((one) => one.characters) / 1e3).toFixed(1),
    ];
  });
  const head = ["way", "ms a run", "CPU ms", "ratio", "kB kept a run", "heap MB", "most RSS MB", "kB of prompts a run"];
  printTable(title, head, rows);
}

function printTests(title: string, contenders: readonly Contender[]): void {
  const rows = contenders.map((contender) => {
    const [own, bare] = [figureOf(contender, "pytest"), figureOf(BARE, "pytest")];
    const [ms, cpuMs] = [own(wallMs), own((one) => one.cpuMs)];
    return [
      contender.name,
      ms.toFixed(0),
      (ms - bare(wallMs)).toFixed(1),
      cpuMs.toFixed(1),
      (cpuMs - bare((one) => one.cpuMs)).toFixed(1),
    ];
  });
  printTable(title, ["way", "ms a run", "above the tests alone", "own CPU ms", "above the tests alone"], rows);
}

function printStart(contenders: readonly Contender[]): void {
  const start = contenders.map((contender) => {
    const own = figureOf(contender, "instant");
    const { bytes, packages } = sizeOf(homes.get(contender)!);
    return { contender, own, bytes, packages, importMs: own((one) => one.imported.cpuMs) };
  });
  const rows = start.map(({ contender, own, bytes, packages, importMs }) => [
    contender.name,
    own((one) => one.imported.ms).toFixed(0),
    importMs.toFixed(0),
    (importMs / start[0]!.importMs).toFixed(2),
    own((one) => one.firstRun.ms).toFixed(0),
    megabytes(own((one) => one.rss)),
    megabytes(bytes),
    (bytes / start[0]!.bytes).toFixed(2),
    `${packages}`,
  ]);
  const import_ = ["import ms", "import CPU ms", "ratio", "ms to the first run's end", "RSS MB"];
  printTable("Start and size", ["way", ...import_, "installed MB", "ratio", "packages"], rows);
}

/** A figure of a contender: the median over its rounds. */
function figureOf(contender: Contender, kind: keyof Figures): (of: (one: Measured) => number) => number {
  const all = measured.get(contender)![kind];
  return (of) => median(all.map(of));
}

function wallMs({ walls }: Measured): number {
  return median(walls);
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

function machine(): string {
  return `${availableParallelism()} x ${cpus()[0]?.model ?? "unknown processor"}`;
}
