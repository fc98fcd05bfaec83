import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Files } from "@swarm/core";
import { type LocalSandbox, localSandbox } from "@swarm/sandbox";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { killIfThere } from "../../src/exec/kill-if-there.ts";
import { never, processesWith, sleepersOf, temporaryFolder, tiers, uniqueSleep } from "../support.ts";
import { type Attack, ESCAPED, type Seen, type World } from "./attack.ts";
import { ATTACKS } from "./attacks.ts";
import { type Surroundings, surroundings } from "./world.ts";

const MB = 1024 * 1024;
/** Small, so that passing them harms no machine. */
const LIMITS = {
  memory: 120 * MB,
  processes: 64,
  disk: 16 * MB,
  files: 300,
  temporary: 30 * MB,
  file: 24 * MB,
  descriptors: 128,
};
const TIMEOUT_MS = 10_000;
/** Three tiers, some of them from processes of their own, on a machine that may be busy. */
const TEST_TIMEOUT_MS = 120_000;

const folder = temporaryFolder();
const sandboxes = new Map<string, LocalSandbox>();
let host: Surroundings;
let path: string;

beforeAll(async () => {
  const store = join(folder.path, "objects");
  sandboxes.set("process", localSandbox({ store, isolation: "none" }));
  sandboxes.set("bubblewrap", localSandbox({ store, isolation: "preferred", limits: LIMITS }));
  const { workspace: plain } = await opened("process", {});
  const other = mkdtempSync(join(folder.path, "swarm-other-"));
  mkdirSync(join(other, "workspace"));
  host = await surroundings(folder.path, join(other, "workspace"));
  path = (await plain.exec(["sh", "-c", 'printf %s "$PATH"'], { signal: never, timeoutMs: TIMEOUT_MS })).output;
  await plain[Symbol.asyncDispose]();
  process.env["HOST_KEY"] = host.secret;
});
afterAll(async () => {
  delete process.env["HOST_KEY"];
  await host[Symbol.asyncDispose]();
});

const all = Object.values(ATTACKS).flat();

it("are all tried, or it is said which are not", () => {
  if (!tiers.includes("bubblewrap")) {
    console.warn(`BUBBLEWRAP DOES NOT WORK HERE: none of ${all.length} attacks is shown to be blocked by it`);
  }
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
});

it("stand in the documentation as they are here", () => {
  const readme = readFileSync(join(import.meta.dirname, "../../README.md"), "utf8");
  expect(readme).toContain(attackTable());
});

describe.each(Object.entries(ATTACKS))("%s:", (_, attacks) => {
  it.concurrent.each(attacks)(
    "$name",
    async (attack) => {
      const outside = await tried(attack, outright);
      const lacking = lackingHere(attack, outside.seen);
      if (lacking) console.warn(`${attack.name}: NOT SHOWN TO BE REAL OR TO BE BLOCKED HERE, for want of ${lacking}`);
      else expect(outside).toMatchObject({ outcome: "gets through" });

      const plain = await tried(attack, within("process"));
      if (!lacking) expect(plain).toMatchObject({ outcome: attack.plain });

      if (!tiers.includes("bubblewrap")) return;
      const blocked = { outcome: "blocked", leftBehind: [], filesChanged: false, victimAlive: true };
      expect(await tried(attack, within("bubblewrap"))).toMatchObject(blocked);
      if (attack.fromProgram) return;
      expect(await tried(attack, within("bubblewrap", { blank: true }))).toMatchObject(blocked);
    },
    TEST_TIMEOUT_MS,
  );
});

it("leave no control group behind", () => {
  const cgroups = host.env["CGROUP"] ?? "";
  const made = existsSync(cgroups) ? readdirSync(cgroups).filter((name) => name.includes(`.${process.pid}.`)) : [];
  expect(made).toEqual([]);
});

function attackTable(): string {
  const rows = Object.entries(ATTACKS).flatMap(([aim, attacks]) => [
    [`**${aim}**`, "", ""],
    ...attacks.map(({ name, plain, needsRoot }) => [name, "blocked", needsRoot ? `${plain}, as root` : plain]),
  ]);
  const table = [["a command tries to", "`bubblewrap`", "`process`"], ["", "", ""], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[], fill: string) =>
    `| ${widths.map((width, column) => (row[column] ?? "").padEnd(width, fill)).join(" | ")} |\n`;
  return table.map((row, index) => line(row, index === 1 ? "-" : " ")).join("");
}

/** Why an attack could not be tried outside of a sandbox, or null. */
function lackingHere({ needsRoot, lacking }: Attack, { result }: Seen): string | null {
  if (needsRoot && process.getuid?.() !== 0) return "root's rights";
  return lacking?.[0].test(result.output) ? lacking[1] : null;
}

/** Runs an attack in a world of its own, and tells what came of it. */
async function tried(attack: Attack, way: (attack: Attack, world: World) => Promise<Seen>) {
  await using world = await host.world();
  const before = host.filesOf(world);
  const seen = await way(attack, world);
  const { output } = seen.result;
  const through = attack.gotThrough?.(seen) ?? (output.includes(ESCAPED) || output.includes(seen.world.secret));
  const told = {
    outcome: through ? "gets through" : "blocked",
    leftBehind: [...seen.sleepers, ...(existsSync(dirname(seen.folder)) ? [seen.folder] : [])],
    filesChanged: JSON.stringify(host.filesOf(world)) !== JSON.stringify(before),
    victimAlive: world.victim.alive(),
    /** For the message when it is not what it should be: not all that it may have read. */
    said: output.slice(-300),
    seen,
  };
  for (const pid of seen.sleepers) killIfThere(pid, "SIGKILL");
  spawnSync("rm", ["-rf", dirname(seen.folder)]);
  return told;
}

/** As a program would that thinks nothing of it: all of its environment, all of the output, one signal when time is up. */
async function outright(
  { argv, files, fromProgram, host: then, timeoutMs = TIMEOUT_MS }: Attack,
  world: World,
): Promise<Seen> {
  const at = join(mkdtempSync(join(folder.path, "outright-")), "workspace");
  mkdirSync(at);
  for (const [name, text] of Object.entries(files ?? {})) writeFileSync(join(at, name), String(text));
  const env = { ...process.env, ...world.env, PATH: path, TMPDIR: at };
  if (fromProgram) return await byProgram("outright", argv, world, at);
  const child = spawn(argv[0] ?? "", argv.slice(1), {
    cwd: at,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (output += chunk));
  const over = once(child, then ? "exit" : "close").then(() => false);
  const timedOut = await Promise.race([over, delay(timeoutMs, true, { ref: false })]);
  if (timedOut) {
    child.kill();
    await delay(100);
  }
  const seen = { world, folder: at, result: { output, timedOut }, sleepers: sleepersOf(world.sleep) };
  if (then) seen.result.output += then.careless(seen);
  if (child.pid !== undefined) killIfThere(-child.pid, "SIGKILL"); // what stopped itself is deaf to all else
  return seen;
}

/** In a workspace of this package, with the care that the host takes; if so, in a sandbox that was started before. */
function within(tier: string, { blank = false } = {}) {
  return async (attack: Attack, world: World): Promise<Seen> => {
    const { argv, files = {}, fromProgram, host: then, timeoutMs = TIMEOUT_MS } = attack;
    if (fromProgram) return await byProgram(tier, argv, world, join(folder.path, "not-there", "workspace"));
    const { workspace, folder: at } = await opened(tier, files);
    await using open = workspace;
    const options = { signal: never, timeoutMs, env: world.env };
    if (blank) {
      await open.exec(["true"], options);
      while (processesWith(at).length === 0) await delay(10); // the time limit of the test ends it
    }
    const { output, timedOut } = await open.exec(argv, options);
    const seen = { world, folder: at, result: { output, timedOut }, sleepers: sleepersOf(world.sleep) };
    if (then) seen.result.output += await then.careful(open, world).catch((error: Error) => error.message);
    return seen;
  };
}

/** From another process, as a user's program is one. What it left would be its folder in the temporary one. */
async function byProgram(tier: string, argv: readonly string[], world: World, at: string): Promise<Seen> {
  const script = `
    import { spawnSync } from "node:child_process";
    import { localSandbox } from "@swarm/sandbox";
    const { tier, argv, store } = JSON.parse(process.argv[1]);
    if (tier === "outright") spawnSync(argv[0], argv.slice(1), { stdio: "inherit" });
    else {
      const sandbox = localSandbox({ store, isolation: tier === "process" ? "none" : "required" });
      const { signal } = new AbortController();
      const snapshot = await sandbox.snapshots.put({ files: {} });
      await using workspace = await sandbox.open({ snapshot, lane: "attack" }, { signal });
      console.log((await workspace.exec(argv, { signal, timeoutMs: 10_000 })).output);
    }`;
  const task = JSON.stringify({ tier, argv, store: join(folder.path, "objects") });
  const secret = openSync(join(world.outside, "secret"), "r");
  const child = spawn(process.execPath, ["--conditions=@swarm/source", "--input-type=module", "-e", script, task], {
    cwd: import.meta.dirname,
    env: { ...process.env, ...world.env, PATH: path },
    stdio: ["ignore", "pipe", "pipe", ...Array.from({ length: 37 }, () => "ignore" as const), secret],
  });
  closeSync(secret);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (output += chunk));
  await once(child, "close");
  return { world, folder: at, result: { output, timedOut: false }, sleepers: sleepersOf(world.sleep) };
}

async function opened(tier: string, files: Files) {
  const sandbox = sandboxes.get(tier)!;
  const snapshot = await sandbox.snapshots.put({ files });
  const workspace = await sandbox.open({ snapshot, lane: "attack" }, { signal: never });
  const mark = `mark-${uniqueSleep()}`;
  await workspace.write(mark, "");
  const found = readdirSync(folder.path).find((name) => existsSync(join(folder.path, name, "workspace", mark)));
  await workspace.remove(mark);
  return { workspace, folder: join(folder.path, String(found), "workspace") };
}
