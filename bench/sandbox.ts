// What a sandbox costs: commands in both tiers against processes that are simply spawned, and snapshots and workspaces
// against `cp -a` of the same files.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { Sandbox } from "@swarm/core";
import { localSandbox } from "@swarm/sandbox";
import { type Contender, compare } from "./lib/compare.ts";

const run = promisify(execFile);
const { signal } = new AbortController();
const folder = mkdtempSync(join(tmpdir(), "swarm-bench-"));
// Workspaces lie beside the copies: how fast a file is made can differ from one folder of a disk to the next.
process.env["TMPDIR"] = folder;

const sandboxes = (["none", "preferred"] as const).map((isolation) =>
  localSandbox({ store: join(folder, "objects"), isolation }),
);
const tiers = new Map(sandboxes.map((sandbox) => [sandbox.tier, sandbox]));
if (!tiers.has("bubblewrap")) console.log("Bubblewrap does not work here: only the process tier is measured.");

const COMMANDS = 10;
const workspaces = await Promise.all(
  [...tiers].map(async ([tier, sandbox]) => {
    const snapshot = await sandbox.snapshots.put({ files: {} });
    return { tier, workspace: await sandbox.open({ snapshot, lane: "bench" }, { signal }) };
  }),
);
for (const argv of [["true"], ["python3", "-c", "pass"]] as const) {
  const [name, ...args] = argv;
  const program = await pathOf(name);
  const spawned = async () => {
    for (let n = 0; n < COMMANDS; n += 1) await run(program, args);
  };
  const inTier = ({ tier, workspace }: (typeof workspaces)[number]): Contender => ({
    name: `tier ${tier}`,
    round: async () => {
      for (let n = 0; n < COMMANDS; n += 1) await workspace.exec(argv, { signal, timeoutMs: 10_000 });
    },
  });
  const contenders = [{ name: "spawn", round: spawned }, ...workspaces.map(inTier)];
  await compare(`Running \`${argv.join(" ")}\`, one at a time`, "command", COMMANDS, contenders);
}
for (const { workspace } of workspaces) await workspace[Symbol.asyncDispose]();

for (const count of [20, 2_000]) await compareTrees(tiers.get("process")!, count);
rmSync(folder, { recursive: true });

/** Where commands find a program, which may not be the one that this process would. */
async function pathOf(name: string): Promise<string> {
  const found = await workspaces[0]!.workspace.exec(["sh", "-c", 'command -v "$0"', name], {
    signal,
    timeoutMs: 10_000,
  });
  return found.output.trim();
}

/** Storage is the same in both tiers. */
async function compareTrees(sandbox: Sandbox, count: number): Promise<void> {
  const [source, copy] = [join(folder, `source-${count}`), join(folder, "copy")];
  const edited = "part-0/file-0.txt";
  for (let n = 0; n < count; n += 1) {
    const file = join(source, `part-${Math.floor(n / 20)}`, `file-${n}.txt`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `file ${n}\n`.repeat(200));
  }
  const snapshot = await sandbox.snapshots.put({ directory: source });
  await using workspace = await sandbox.open({ snapshot, lane: "bench" }, { signal });

  let edits = 0;
  const edit = () => workspace.write(edited, `edit ${edits++}\n`);
  await compare(`A workspace of ${count.toLocaleString("en")} files of about 2 kB`, "round", 1, [
    {
      name: "cp -a, rm -r",
      round: async () => {
        await run("cp", ["-a", source, copy]);
        await run("rm", ["-r", copy]);
      },
    },
    { name: "snapshot, nothing changed", round: async () => void (await workspace.snapshot()) },
    {
      name: "one edit, snapshot",
      round: async () => {
        await edit();
        await workspace.snapshot();
      },
    },
    {
      name: "one edit, snapshot of what was touched",
      round: async () => {
        await edit();
        await workspace.snapshot([edited]);
      },
    },
    {
      name: "one edit, restore",
      round: async () => {
        await edit();
        await workspace.restore(snapshot);
      },
    },
    {
      name: "open from a snapshot, dispose",
      round: async () => {
        await using _ = await sandbox.open({ snapshot, lane: "bench" }, { signal });
      },
    },
  ]);
}
