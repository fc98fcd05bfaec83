import type { BlobId, Files, Loaded, SnapshotId } from "./files.ts";
import type { TaskSource } from "./task.ts";

export type ExecOptions = {
  signal: AbortSignal;
  /** Wall time after which the command and all that it started are killed. */
  timeoutMs: number;
  /**
   * Wall time on top of that until the first byte arrives on the channel: `timeoutMs` counts anew from there, so that the start
   * of an interpreter is no part of what it runs. Default 0.
   */
  startMs?: number;
  /** What the command reads from its standard input, followed by the end of it. Default: nothing. */
  input?: string;
  /**
   * Arguments of a command that the sandbox may start once this one has ended, to wait for the input of the next call: one with
   * these arguments and, except for input, limits and `ahead`, the same options. So it has its start behind it when it is needed.
   * It must leave the workspace alone until it has read its input. Default: none.
   */
  ahead?: readonly string[];
  /** Folder in the workspace to start in. Default: its root. */
  cwd?: string;
  /** Added to the sandbox's own allow-listed environment. */
  env?: Record<string, string>;
  /**
   * A `node_modules` folder of the host, which the command finds beside the workspace as `/node_modules`, to read only.
   * Programs that look for packages in the folders above their own sources find those in it. Default: there is none.
   */
  modules?: string;
  /** Opens a pipe at descriptor 3 whose bytes come back as `channel`, apart from the output. Default false. */
  channel?: boolean;
  /** Whether to keep account of the workspace's files that the command loads as code: see {@link ExecResult.loaded}. Default false. */
  loads?: boolean;
};
export type ExecResult = {
  code: number | null;
  signal: string | null;
  timedOut: boolean;
  /** Standard output and error as they came; of long output the head and the tail, with the number of bytes left out. */
  output: string;
  /**
   * Blob of all the output but what is shaped like a key, where `output` is only its head and tail; a sandbox may cap it from
   * the end. Null where there is no more than `output`, or where the rest could not be kept.
   */
  whole: BlobId | null;
  /** What arrived at descriptor 3; null without a channel or when it was over its size limit. */
  channel: string | null;
  /**
   * Where `loads` asked for it and the sandbox can: what was loaded by the command and all that it started, as far as their
   * interpreters let that be seen. Null where too much was. Code that means to can write into the account.
   */
  loaded?: Loaded | null;
  durationMs: number;
};

export type WorkspaceEntry = { path: string; kind: "file" | "directory" | "link"; size: number };
export type Change = { path: string; kind: "added" | "removed" | "changed" };

/**
 * Bytes by their sha-256. Writes are atomic and idempotent, and may come from several processes at once.
 */
export interface Blobs {
  put(data: string | Uint8Array): Promise<BlobId>;
  /** Rejects with a {@link NotFoundError}. */
  get(id: BlobId): Promise<Uint8Array>;
  has(id: BlobId): Promise<boolean>;
  /**
   * Resolves when all that was put here before outlives a crash of the machine. A log that syncs what it holds waits for it
   * first. Left out: what is put is as safe at once as it can be.
   */
  sync?(): Promise<void>;
}

/** Trees of files by content: equal trees have equal ids. Nothing here touches a live workspace. */
export interface Snapshots {
  /**
   * Rejects with an {@link InvalidInputError} that names the field of the source at fault: also where a file holds one of
   * `secrets`, and then nothing was kept.
   */
  put(source: TaskSource, options?: { secrets?: readonly string[] }): Promise<SnapshotId>;
  /** Paths of all files and links, sorted. */
  list(id: SnapshotId): Promise<string[]>;
  read(id: SnapshotId, path: string): Promise<Uint8Array>;
  files(id: SnapshotId): Promise<Files>;
  /** `base` with the files of `tops` laid over it, the last one winning. */
  overlay(base: SnapshotId, tops: readonly SnapshotId[]): Promise<SnapshotId>;
  /** The changes of all forks together. A path that two forks changed differently is a conflict, and keeps its base. */
  merge(base: SnapshotId, forks: readonly SnapshotId[]): Promise<{ snapshot: SnapshotId; conflicts: string[] }>;
  diff(from: SnapshotId, to: SnapshotId): Promise<Change[]>;
  /**
   * `to` as it is delivered: without the new files that a `.gitignore` of `from` keeps out of the project's history, whose paths
   * are `leftOut`, as `git add` would leave them out.
   */
  delivered(from: SnapshotId, to: SnapshotId): Promise<{ snapshot: SnapshotId; leftOut: string[] }>;
  /** What `git apply` needs to make what is {@link delivered} of `from`: bytes, since a text file need not be UTF-8. */
  patch(from: SnapshotId, to: SnapshotId): Promise<Uint8Array>;
}

/** A live folder that one lane of a run works in. One call at a time. Disposing it kills its processes and removes it. */
export interface Workspace extends AsyncDisposable {
  /** Where the workspace lies for the commands in it: the same path in every run. */
  readonly root: string;
  /** Whether it makes use of {@link ExecOptions.ahead}. Default false. */
  readonly startsAhead?: boolean;
  /** Entries of a folder, sorted by path; recursive ones do not follow links. */
  list(directory: string, options?: { recursive?: boolean }): Promise<WorkspaceEntry[]>;
  /** Rejects with a {@link PathError}, `FILE_TOO_LARGE` for a file that is larger than the sandbox gives out. */
  read(path: string): Promise<Uint8Array>;
  /**
   * Creates missing folders and keeps the mode of an existing file. Never writes through a link. With `onlyNew` it rejects with a
   * {@link PathError} `FILE_EXISTS` where anything is, in one step with the writing.
   */
  write(path: string, data: string | Uint8Array, options?: { onlyNew?: boolean }): Promise<void>;
  remove(path: string): Promise<void>;
  /**
   * Runs a command to its end, and kills all that it left behind. A command's exit code, signal and time
   * limit are results. Rejects only when the sandbox is broken ({@link SandboxError}) or the signal aborts.
   */
  exec(argv: readonly string[], options: ExecOptions): Promise<ExecResult>;
  /** `touched` names the only paths that can have changed since the last snapshot; without it all are looked at. */
  snapshot(touched?: readonly string[]): Promise<SnapshotId>;
  restore(id: SnapshotId): Promise<void>;
}

/** A directory that outlasts the runs that work for it, held by one of them at a time. */
export interface HeldDirectory {
  /** The process id of a holder that died with it. */
  readonly tookOver: number | null;
  /** What is in it, less what is never part of a snapshot. Rejects like {@link Snapshots.put}, naming `workspace`. */
  snapshot(options?: { secrets?: readonly string[] }): Promise<SnapshotId>;
  /**
   * Makes the changes that lead from one snapshot to another: all of them or, where it rejects, none. Nothing else in the
   * directory is touched. A path that is neither as it was nor as it is to be was changed by somebody else meanwhile; then
   * nothing is changed, and all such paths are given back. It takes a snapshot of what is there, and rejects as
   * {@link HeldDirectory.snapshot} does.
   */
  change(from: SnapshotId, to: SnapshotId, options?: { secrets?: readonly string[] }): Promise<string[]>;
  /** Gives it back. The second time it does nothing. */
  release(): void;
}

/** Makes workspaces. */
export interface Sandbox {
  readonly specificationVersion: "v1";
  /** The isolation in force, such as `bubblewrap` or `process`. It is in every log's header. */
  readonly tier: string;
  readonly snapshots: Snapshots;
  readonly blobs: Blobs;
  /** A workspace that holds `snapshot`. `lane` names who works in it; a workspace may be kept warm for its lane. */
  open(spec: { snapshot: SnapshotId; lane: string }, options: { signal: AbortSignal }): Promise<Workspace>;
  /**
   * Holds a directory, which is made where it is missing. Rejects with a {@link WorkspaceBusyError} while another run holds it,
   * in this process or any other, and with an {@link InvalidInputError} for `workspace` where it cannot be used.
   */
  hold(directory: string): Promise<HeldDirectory>;
}
