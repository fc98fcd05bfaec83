import { execFile } from "node:child_process";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { blobSnapshots, directoryBlobs, localSandbox } from "@swarm/sandbox";
import type { Contender } from "./compare.ts";

const run = promisify(execFile);

/** What is done with a folder of files. A fork is one more folder with the files of a snapshot, to work in. */
export const OPERATIONS = [
  "first snapshot",
  "snapshot, nothing changed",
  "snapshot after one edit",
  "the same, the file being named",
  "restore after one edit",
  "fork",
  "diff of two snapshots",
] as const;

/** One way to do all that. */
export interface Way extends AsyncDisposable {
  readonly name: string;
  readonly operations: Record<(typeof OPERATIONS)[number], Omit<Contender, "name">>;
}

/** The file that is edited. */
export const EDITED = "part-0/file-0";

let edits = 0;
const newText = () => `edit ${edits++}\n`;
const remove = (path: string) => rmSync(path, { recursive: true, force: true });

export async function swarm(source: string, folder: string): Promise<Way> {
  const { signal } = new AbortController();
  const [store, fresh] = [join(folder, "objects"), join(folder, "fresh-objects")];
  const sandbox = localSandbox({ store, isolation: "none" });
  const snapshot = await sandbox.snapshots.put({ directory: source });
  const workspace = await sandbox.open({ snapshot, lane: "bench" }, { signal });
  let forked = workspace;
  const edit = () => workspace.write(EDITED, newText());
  await edit();
  const edited = await workspace.snapshot();
  return {
    name: "Swarm",
    operations: {
      "first snapshot": {
        round: async () => void (await blobSnapshots(directoryBlobs(fresh)).put({ directory: source })),
        after: () => remove(fresh),
      },
      "snapshot, nothing changed": { round: async () => void (await workspace.snapshot()) },
      "snapshot after one edit": { before: edit, round: async () => void (await workspace.snapshot()) },
      "the same, the file being named": { before: edit, round: async () => void (await workspace.snapshot([EDITED])) },
      "restore after one edit": { before: edit, round: () => workspace.restore(snapshot) },
      fork: {
        round: async () => {
          forked = await sandbox.open({ snapshot, lane: "bench" }, { signal });
        },
        after: async () => await forked[Symbol.asyncDispose](),
      },
      // By one that has read neither before.
      "diff of two snapshots": {
        round: async () => void (await blobSnapshots(directoryBlobs(store)).diff(snapshot, edited)),
      },
    },
    [Symbol.asyncDispose]: () => workspace[Symbol.asyncDispose](),
  };
}

/** A repository beside the files, without history: an index, trees and blobs. */
export async function git(source: string, folder: string): Promise<Way> {
  const [live, fork, repository, fresh] = ["git-live", "git-fork", "git", "git-fresh"].map((name) =>
    join(folder, name),
  ) as [string, string, string, string];
  cpSync(source, live, { recursive: true });
  const inRepository = async (directory: string, ...args: string[]) => {
    const env = { PATH: process.env["PATH"], GIT_DIR: directory, GIT_WORK_TREE: live, GIT_CONFIG_GLOBAL: "/dev/null" };
    const settings = ["-c", "core.looseCompression=0", "-c", "gc.auto=0"];
    return (await run("git", [...settings, ...args], { env, cwd: live })).stdout.trim();
  };
  const snapshotIn = async (directory: string, path = ".") => {
    await inRepository(directory, "add", "-A", "-f", path);
    return await inRepository(directory, "write-tree");
  };
  const edit = () => writeFileSync(join(live, EDITED), newText());
  await inRepository(repository, "init", "-q");
  const snapshot = await snapshotIn(repository);
  edit();
  const edited = await snapshotIn(repository);
  return {
    name: "git",
    operations: {
      "first snapshot": {
        round: async () => {
          await inRepository(fresh, "init", "-q");
          await snapshotIn(fresh);
        },
        after: () => remove(fresh),
      },
      "snapshot, nothing changed": { round: async () => void (await snapshotIn(repository)) },
      "snapshot after one edit": { before: edit, round: async () => void (await snapshotIn(repository)) },
      "the same, the file being named": {
        before: edit,
        round: async () => void (await snapshotIn(repository, EDITED)),
      },
      "restore after one edit": {
        before: edit,
        round: async () => {
          await inRepository(repository, "read-tree", "--reset", "-u", snapshot);
          await inRepository(repository, "clean", "-fdxq");
        },
      },
      fork: {
        round: async () => void (await inRepository(repository, "checkout-index", "--all", `--prefix=${fork}/`)),
        after: () => remove(fork),
      },
      "diff of two snapshots": {
        round: async () => void (await inRepository(repository, "diff-tree", "-r", "--name-status", snapshot, edited)),
      },
    },
    async [Symbol.asyncDispose]() {},
  };
}

/** Each snapshot is a copy. */
export function copying(name: string, copy: (from: string, to: string) => unknown) {
  return async (source: string, folder: string): Promise<Way> => {
    const base = join(folder, name);
    mkdirSync(base);
    const [live, other, fork] = [join(base, "live"), join(base, "other"), join(base, "fork")];
    cpSync(source, live, { recursive: true });
    cpSync(source, other, { recursive: true });
    const edit = () => writeFileSync(join(live, EDITED), newText());
    edit();
    // The same whatever was edited, so that it is measured once.
    const snapshot = { round: async () => void (await copy(live, fork)), after: () => remove(fork) };
    return {
      name,
      operations: {
        "first snapshot": snapshot,
        "snapshot, nothing changed": snapshot,
        "snapshot after one edit": snapshot,
        "the same, the file being named": snapshot,
        "restore after one edit": {
          before: edit,
          round: async () => {
            remove(live);
            await copy(other, live);
          },
        },
        fork: snapshot,
        // diff ends with 1 where something differs.
        "diff of two snapshots": {
          before: edit,
          round: async () => void (await run("diff", ["-rq", live, other]).catch(() => null)),
        },
      },
      async [Symbol.asyncDispose]() {},
    };
  };
}
