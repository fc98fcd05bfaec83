// A check over a corpus of real patches, of each of which the files before it and the hashes of those after it are known:
// `apply_patch` has to make the very bytes, and git has to make them again from the patch that two snapshots give.
// `npm run -s bench -- patches --data <folder>`: the folder holds files patch-corpus-*.jsonl whose lines are
// {id, patch, before: {path: {text}}, after: {path: {sha256}}}.
import { createReadStream, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { linesOf, type SnapshotId, sha256, type ToolContext, type Workspace } from "@swarm/core";
import { localSandbox } from "@swarm/sandbox";
import { applyPatch } from "@swarm/tools";

type Row = {
  id: string;
  patch: string;
  before: Record<string, { text: string }>;
  after: Record<string, { sha256: string }>;
};

const { values } = parseArgs({ options: { data: { type: "string" } } });
const corpora =
  values.data === undefined ? [] : readdirSync(values.data).filter((name) => /^patch-corpus-.*\.jsonl$/.test(name));
if (values.data === undefined || corpora.length === 0) {
  console.error("Give a folder with files patch-corpus-*.jsonl: npm run -s bench -- patches --data <folder>");
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), "swarm-bench-"));
const { signal } = new AbortController();
const { snapshots, open } = localSandbox({ store: join(folder, "objects"), isolation: "none" });
let patches = 0;
const wrong: string[] = [];
{
  const nothing = await snapshots.put({ files: {} });
  await using workspace = await open({ snapshot: nothing, lane: "bench" }, { signal });
  for (const corpus of corpora) {
    for await (const { text } of linesOf(createReadStream(join(values.data, corpus)))) {
      const row: Row = JSON.parse(text);
      const problem = await problemOf(row, workspace);
      patches += 1;
      if (problem !== null) wrong.push(`${row.id}: ${problem}`);
    }
  }
}
rmSync(folder, { recursive: true });
console.log(`${patches - wrong.length} of ${patches} patches applied and taken again, byte for byte`);
for (const problem of wrong) console.log(problem);
process.exitCode = wrong.length === 0 ? 0 : 1;

async function problemOf(row: Row, workspace: Workspace): Promise<string | null> {
  const files = Object.fromEntries(Object.entries(row.before).map(([path, { text }]) => [path, text]));
  const before = await snapshots.put({ files });
  await workspace.restore(before);
  const context: ToolContext = { workspace, signal, callId: "1", test: async () => ({ tests: [], fault: null }) };
  const { ok, output } = await applyPatch.call({ patch: row.patch }, context);
  if (!ok) return `apply_patch: ${output}`;
  const after = await workspace.snapshot();
  const problem = await differenceFrom(row.after, after);
  if (problem !== null) return `apply_patch: ${problem}`;

  await workspace.restore(before);
  await workspace.write("to-apply.patch", await snapshots.patch(before, after));
  const script = "git init -q && mv to-apply.patch .git/ && git apply .git/to-apply.patch";
  const applied = await workspace.exec(["sh", "-c", script], { signal, timeoutMs: 20_000 });
  if (applied.code !== 0) return `git apply: ${applied.output}`;
  return (await workspace.snapshot()) === after ? null : "git apply made other files of the patch";
}

async function differenceFrom(expected: Row["after"], snapshot: SnapshotId): Promise<string | null> {
  const paths = await snapshots.list(snapshot);
  if (paths.join() !== Object.keys(expected).sort().join()) return `it left the files ${paths.join(", ")}`;
  for (const path of paths) {
    if (sha256(await snapshots.read(snapshot, path)) !== expected[path]?.sha256) return `${path} holds other bytes`;
  }
  return null;
}
