// What a sandbox costs, against what one would do otherwise, in one run: commands in both tiers against processes that are
// simply spawned; snapshots, restores, forks and diffs against a git repository beside the files, and against copying them.
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import type { Workspace } from "@swarm/core";
import { localSandbox } from "@swarm/sandbox";
import { type Contender, measure, printTable } from "./lib/compare.ts";
import { copying, git, OPERATIONS, swarm } from "./lib/tree-ways.ts";

const run = promisify(execFile);
/** After every command, as a model's answer comes between two: the sandbox of the next has its start behind it. */
const PAUSE_MS = 80;
const AT_ONCE = "bubblewrap, right after another command";
const IN_A_ROW = "bubblewrap, each of 10 in a row";
const { signal } = new AbortController();
const folder = mkdtempSync(join(tmpdir(), "swarm-bench-"));
// Workspaces lie beside the copies: how fast a file is made can differ from one folder of a disk to the next.
process.env["TMPDIR"] = folder;

await compareCommands();
await compareTrees("20 files, 40 kB", 20, 2_000, 11);
await compareTrees("5,000 files, 100 MB", 5_000, 20_000, 3);
rmSync(folder, { recursive: true });

async function compareCommands(): Promise<void> {
  const sandboxes = (["none", "preferred"] as const).map((isolation) =>
    localSandbox({ store: join(folder, "objects"), isolation }),
  );
  const tiers = new Map(sandboxes.map((sandbox) => [sandbox.tier, sandbox]));
  if (!tiers.has("bubblewrap")) console.log("Bubblewrap does not work here: only the process tier is measured.");
  const workspaces = new Map<string, Workspace>();
  for (const [tier, sandbox] of tiers) {
    const snapshot = await sandbox.snapshots.put({ files: {} });
    workspaces.set(tier, await sandbox.open({ snapshot, lane: "bench" }, { signal }));
  }
  const rows: string[][] = [];
  let names: string[] = [];
  for (const argv of [["true"], ["python3", "-c", "pass"]]) {
    console.error(`commands: ${argv.join(" ")}`);
    const program = await pathOf(argv[0]!, workspaces.get("process")!);
    const spawned = { name: "plain", round: async () => void (await run(program, argv.slice(1))) };
    const tiersOf = ([name, workspace]: [string, Workspace]): Contender => ({
      name,
      round: async () => void (await workspace.exec(argv, { signal, timeoutMs: 10_000 })),
    });
    const ways = [spawned, ...[...workspaces].map(tiersOf)];
    const isolated = ways.find(({ name }) => name === "bubblewrap");
    if (isolated) {
      ways.push({ ...isolated, name: AT_ONCE, before: isolated.round });
      ways.push({ name: IN_A_ROW, round: () => inARow(isolated) });
    }
    const rested = ways.map((way) => ({ ...way, after: () => delay(PAUSE_MS) }));
    const medians = await measure(rested, 60);
    const [plain, ...rest] = medians.map(({ name, ms }) => ({ name, ms: name === IN_A_ROW ? ms / 10 : ms }));
    names = rest.map(({ name }) => `tier ${name}`);
    const more = rest.map(({ ms }) => `${ms.toFixed(1)} (${signed(ms - plain!.ms)})`);
    rows.push([argv.join(" "), plain!.ms.toFixed(1), ...more]);
  }
  for (const workspace of workspaces.values()) await workspace[Symbol.asyncDispose]();
  const head = ["a command", "spawned, ms", ...names];
  printTable("Commands, in milliseconds, and how many more than when spawned", head, rows);
}

function signed(ms: number): string {
  return `${ms < 0 ? "" : "+"}${ms.toFixed(1)}`;
}

/** More than have a sandbox waiting for them. */
async function inARow({ round }: Contender): Promise<void> {
  for (let n = 0; n < 10; n += 1) await round();
}

/** Where commands find a program, which may not be the one that this process would. */
async function pathOf(name: string, workspace: Workspace): Promise<string> {
  const script = ["sh", "-c", 'command -v "$0"', name];
  return (await workspace.exec(script, { signal, timeoutMs: 10_000 })).output.trim();
}

/** Storage is the same in both tiers. */
async function compareTrees(title: string, count: number, bytes: number, rounds: number): Promise<void> {
  console.error(`${title}: the files are made`);
  const base = join(folder, String(count));
  const source = join(base, "source");
  for (let n = 0; n < count; n += 1) {
    const file = join(source, `part-${Math.floor(n / 20)}`, `file-${n}`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, randomBytes(bytes));
  }
  const cp = copying("cp -a", (from, to) => run("cp", ["-a", from, to]));
  const cpSyncs = copying("fs.cpSync", (from, to) => cpSync(from, to, { recursive: true }));
  await using ways = new AsyncDisposableStack();
  const all = [];
  for (const make of [swarm, git, cp, cpSyncs]) all.push(ways.use(await make(source, base)));

  const rows: string[][] = [];
  const known = new Map<object, number>();
  for (const operation of OPERATIONS) {
    console.error(`${title}: ${operation}`);
    const unknown = all.filter(({ operations }) => !known.has(operations[operation]));
    const contenders = unknown.map(({ name, operations }) => ({ name, ...operations[operation] }));
    for (const [index, { ms }] of (await measure(contenders, rounds)).entries()) {
      known.set(unknown[index]!.operations[operation], ms);
    }
    const [ours = Number.NaN, ...others] = all.map(({ operations }) => known.get(operations[operation])!);
    rows.push([
      operation,
      ours.toFixed(1),
      ...others.map((ms) => `${ms.toFixed(1)} (${(ms / ours).toFixed(1)} times)`),
    ]);
  }
  const head = [title, ...all.map(({ name }) => name)];
  printTable("Snapshots, in milliseconds, and how many times as long as ours", head, rows);
}
