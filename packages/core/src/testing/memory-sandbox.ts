import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Files, SnapshotId } from "../contracts/files.ts";
import type { Blobs, Change, ExecResult, Sandbox, Snapshots, Workspace } from "../contracts/sandbox.ts";
import { InvalidInputError, NotFoundError, PathError, SandboxError, WorkspaceBusyError } from "../errors.ts";
import { canonicalJson, sha256 } from "../json-value.ts";

/** Blobs that live as long as this object. */
export function memoryBlobs(): Blobs {
  const blobs = new Map<string, Uint8Array>();
  return {
    async put(data) {
      const id = sha256(data);
      blobs.set(id, Buffer.from(data));
      return id;
    },
    async get(id) {
      const data = blobs.get(id);
      if (!data) throw new NotFoundError(`blob ${id}`);
      return data;
    },
    has: async (id) => blobs.has(id),
  };
}

/** Blobs as the files of a folder, so that several processes can share them. */
export function folderBlobs(directory: string): Blobs {
  const read = (id: string) => {
    try {
      return readFileSync(join(directory, id));
    } catch (error) {
      throw new NotFoundError(`blob ${id}`, { cause: error });
    }
  };
  return {
    async put(data) {
      const id = sha256(data);
      mkdirSync(directory, { recursive: true });
      const temporary = join(directory, `${id}.${process.pid}`);
      writeFileSync(temporary, data);
      renameSync(temporary, join(directory, id));
      return id;
    },
    get: async (id) => read(id),
    async has(id) {
      try {
        return read(id) !== null;
      } catch {
        return false;
      }
    },
  };
}

/** A command of a memory sandbox: what it prints, and what it does to the files. */
export type MemoryCommand = (
  argv: readonly string[],
  files: Map<string, Uint8Array>,
) => { code: number; output: string };

/**
 * A sandbox whose workspaces are maps: for tests of engines, executors and teams that need no processes. It isolates
 * nothing, has no links or modes, and its commands are functions. `directories` are those that runs can work for.
 */
export function memorySandbox(
  options: { blobs?: Blobs; command?: MemoryCommand; directories?: Map<string, SnapshotId> } = {},
): Sandbox {
  const { directories = new Map<string, SnapshotId>() } = options;
  const held = new Set<string>();
  const blobs = options.blobs ?? memoryBlobs();
  const snapshots = memorySnapshots(blobs);
  const command: MemoryCommand = options.command ?? (([name]) => ({ code: 127, output: `${name}: command not found` }));
  return {
    specificationVersion: "v1",
    tier: "memory",
    blobs,
    snapshots,
    async open({ snapshot }) {
      return memoryWorkspace(snapshots, command, await snapshots.load(snapshot));
    },
    async hold(directory) {
      if (held.has(directory)) {
        throw new WorkspaceBusyError(directory, { pid: process.pid, host: "memory", since: new Date(0).toISOString() });
      }
      held.add(directory);
      return {
        tookOver: null,
        snapshot: async () => directories.get(directory) ?? (await snapshots.put({ files: {} })),
        async change(from, to) {
          const { snapshot, conflicts } = await snapshots.merge(from, [directories.get(directory) ?? from, to]);
          if (conflicts.length === 0) directories.set(directory, snapshot);
          return conflicts;
        },
        release: () => void held.delete(directory),
      };
    },
  };
}

type Tree = Map<string, Uint8Array>;
type MemorySnapshots = Snapshots & { load(id: SnapshotId): Promise<Tree>; save(tree: Tree): Promise<SnapshotId> };

function memorySnapshots(blobs: Blobs): MemorySnapshots {
  async function save(tree: Tree): Promise<SnapshotId> {
    const entries = await Promise.all([...tree].map(async ([path, data]) => [path, await blobs.put(data)]));
    return blobs.put(canonicalJson(Object.fromEntries(entries)));
  }
  async function load(id: SnapshotId): Promise<Tree> {
    const entries = Object.entries(JSON.parse(Buffer.from(await blobs.get(id)).toString()) as Record<string, string>);
    return new Map(await Promise.all(entries.map(async ([path, blob]) => [path, await blobs.get(blob)] as const)));
  }
  async function diff(from: SnapshotId, to: SnapshotId): Promise<Change[]> {
    const [before, after] = [await load(from), await load(to)];
    return [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((path): Change[] => {
      const [old, now] = [before.get(path), after.get(path)];
      if (!old) return [{ path, kind: "added" }];
      if (!now) return [{ path, kind: "removed" }];
      return Buffer.compare(old, now) === 0 ? [] : [{ path, kind: "changed" }];
    });
  }

  return {
    save,
    load,
    diff,
    async put(source) {
      if (!("files" in source)) throw new InvalidInputError("source", "a memory sandbox takes files only");
      return save(new Map(Object.entries(source.files).map(([path, content]) => [path, bytesOf(content)])));
    },
    list: async (id) => [...(await load(id)).keys()].sort(),
    async read(id, path) {
      const data = (await load(id)).get(path);
      if (!data) throw new NotFoundError(path);
      return data;
    },
    async files(id) {
      return Object.fromEntries(
        [...(await load(id))].map(([path, data]) => [path, { base64: Buffer.from(data).toString("base64") }]),
      );
    },
    async overlay(base, tops) {
      const trees = await Promise.all([base, ...tops].map(load));
      return save(new Map(trees.flatMap((tree) => [...tree])));
    },
    async merge(base, forks) {
      const merged = await load(base);
      const changedBy = new Map<string, string>();
      const conflicts = new Set<string>();
      for (const fork of forks) {
        const tree = await load(fork);
        for (const { path } of await diff(base, fork)) {
          const data = tree.get(path);
          const now = data ? sha256(data) : "removed";
          if ((changedBy.get(path) ?? now) !== now) conflicts.add(path);
          changedBy.set(path, now);
          if (data) merged.set(path, data);
          else merged.delete(path);
        }
      }
      return { snapshot: await save(merged), conflicts: [...conflicts].sort() };
    },
    delivered: async (_from, to) => ({ snapshot: to, leftOut: [] }),
    async patch(from, to) {
      const changes = await diff(from, to);
      return Buffer.from(changes.map(({ kind, path }) => `${kind} ${path}\n`).join(""));
    },
  };
}

function bytesOf(content: Files[string]): Uint8Array {
  return typeof content === "string" ? Buffer.from(content) : Buffer.from(content.base64, "base64");
}

function memoryWorkspace(snapshots: MemorySnapshots, command: MemoryCommand, opened: Tree): Workspace {
  let tree = opened;
  let open = true;
  const live = (): Tree => {
    if (!open) throw new SandboxError("the workspace was disposed of");
    return tree;
  };
  return {
    root: "/workspace",
    async list(directory, { recursive = false } = {}) {
      const prefix = directory === "" || directory === "." ? "" : `${directory}/`;
      const below = [...live()].filter(
        ([path]) => path.startsWith(prefix) && (recursive || !path.slice(prefix.length).includes("/")),
      );
      return below
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([path, data]) => ({ path, kind: "file" as const, size: data.length }));
    },
    async read(path) {
      const data = live().get(path);
      if (!data) throw new NotFoundError(path);
      return data;
    },
    async write(path, data, { onlyNew = false } = {}) {
      if (onlyNew && live().has(path)) throw new PathError(path, "is there already", { code: "FILE_EXISTS" });
      live().set(path, Buffer.from(data));
    },
    remove: async (path) => void live().delete(path),
    async exec(argv, { signal }): Promise<ExecResult> {
      signal.throwIfAborted();
      const { code, output } = command(argv, live());
      return { code, signal: null, timedOut: false, output, whole: null, channel: null, durationMs: 0 };
    },
    snapshot: () => snapshots.save(live()),
    async restore(id) {
      live();
      tree = await snapshots.load(id);
    },
    async [Symbol.asyncDispose]() {
      open = false;
    },
  };
}
