import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import {
  abortReason,
  type ExecOptions,
  type ExecResult,
  InvalidInputError,
  type Redact,
  SandboxError,
  type SnapshotId,
  type Workspace,
} from "@swarm/core";
import { findProgram } from "./exec/find-program.ts";
import { LONGEST_TIMER_MS, type Running, type Started, startCommand } from "./exec/run-command.ts";
import { makeRootUsable } from "./files/usable-root.ts";
import { withAccess } from "./files/with-access.ts";
import { WorkspaceFiles } from "./files/workspace-files.ts";
import { WORKSPACE_ROOT } from "./files/workspace-path.ts";
import { baseEnvironment } from "./isolation/environment.ts";
import type { Isolation, Place } from "./isolation/isolation.ts";
import { removeOwnedFolder } from "./owned/owned-folder.ts";
import { LiveTree } from "./snapshots/live-tree.ts";
import type { Trees } from "./snapshots/trees.ts";
import { Spares } from "./warm/spares.ts";

export type WorkspaceParts = {
  place: Place;
  isolation: Isolation;
  path: readonly string[];
  trees: Trees;
  redact: Redact;
};

/** A workspace in a folder of this machine. */
export class LocalWorkspace implements Workspace {
  readonly root = WORKSPACE_ROOT;
  readonly startsAhead: boolean;
  readonly #parts: WorkspaceParts;
  readonly #files: WorkspaceFiles;
  readonly #tree: LiveTree;
  readonly #running = new Set<Running>();
  readonly #spares: Spares;
  #open = true;

  constructor(parts: WorkspaceParts) {
    this.#parts = parts;
    this.startsAhead = parts.isolation.ahead;
    this.#files = new WorkspaceFiles(parts.place.workspace);
    this.#spares = new Spares(parts.place.workspace);
    this.#tree = new LiveTree(parts.place.workspace, parts.trees, { rebase: parts.isolation.rebase });
  }

  async list(directory: string, options: { recursive?: boolean } = {}) {
    return await this.#accessing(() => this.#files.list(directory, options.recursive ?? false));
  }

  async read(path: string) {
    return await this.#accessing(() => this.#files.read(path));
  }

  async write(path: string, data: string | Uint8Array, options: { onlyNew?: boolean } = {}) {
    await this.#accessing(() => this.#files.write(path, data, options));
  }

  async remove(path: string) {
    await this.#accessing(() => this.#files.remove(path));
  }

  async exec(argv: readonly string[], options: ExecOptions): Promise<ExecResult> {
    await this.#atRest();
    this.#assertWhole();
    assertCommand(argv, options);
    const cwd = await this.#accessing(() => this.#files.openFolder(options.cwd ?? ""));
    const limited = { ...options, timeoutMs: Math.min(options.timeoutMs, LONGEST_TIMER_MS) };
    // Only from the root: a folder below it may be another one by the time that the command is needed.
    const atRoot = this.#parts.isolation.ahead && cwd === "";

    const spare = atRoot ? await this.#spares.take(argv, limited) : null;
    const blank = atRoot && !spare ? await this.#blank(argv, limited) : null;
    const command = spare ?? blank ?? (await this.#start(argv, cwd, limited));
    if ("code" in command) return command;
    const running = command.begin(limited);
    this.#running.add(running);
    const forget = () => this.#running.delete(running);
    running.gone.then(forget, forget);
    // Once whoever waits for this one has gone on: to start a process takes a while.
    if (atRoot && options.ahead) {
      const next = options.ahead;
      running.over.then(() => setImmediate(() => this.#startAhead(next, limited)), forget);
    } else if (atRoot) running.over.then(() => this.#keepBlanks(limited, { used: blank !== null }), forget);
    return await running.result;
  }

  /** A sandbox that was started before the command was known, with its order; null when there is none, or none that can serve. */
  async #blank(argv: readonly string[], options: ExecOptions): Promise<Pick<Started, "begin"> | null> {
    const program = this.#programOf(argv);
    if (program === null || !fitsBlank(options) || options.signal.aborted) return null;
    const command = { argv: [program, ...argv.slice(1)], cwd: "", env: options.env ?? {}, options };
    const order = this.#parts.isolation.blank?.order(command);
    const blank = order ? await this.#spares.take(...blankFor(options)) : null;
    if (!order || !blank) return null;
    return { begin: (call) => blank.begin(call, order) };
  }

  /**
   * After a command, for those to come: a sandbox takes some time to start. What this one `used` is replaced at once; else they wait
   * until it is seen that the workspace is not disposed of. One at a time, since each holds this process up.
   */
  #keepBlanks(options: ExecOptions, { used }: { used: boolean }): void {
    const { place, isolation, path, trees, redact } = this.#parts;
    const { blank } = isolation;
    if (!blank || !fitsBlank(options)) return;
    const [kind, given] = blankFor(options);
    const start = async () => {
      const launch = await blank.launch(place, { env: baseEnvironment(path), channel: given.channel });
      return startCommand(launch, { base: place.base, blobs: trees.blobs, redact }, given);
    };
    const keepOne = () => {
      if (this.#open && this.#spares.keep(kind, given, { most: BLANKS, start })) later();
    };
    const later = () => void setTimeout(keepOne, IDLE_MS).unref();
    if (used) setImmediate(keepOne);
    else later();
  }

  /** The program's path, null for none. */
  #programOf([name = ""]: readonly string[]): string | null {
    const asItIs = this.#parts.isolation.ownPrograms || name.includes("/");
    return asItIs ? name : findProgram(name, this.#parts.path);
  }

  /** Starts a command, or says why it cannot be. */
  async #start(argv: readonly string[], cwd: string, options: ExecOptions): Promise<Started | ExecResult> {
    const { place, isolation, path, trees, redact } = this.#parts;
    const program = this.#programOf(argv);
    if (program === null) return refusal(127, `${argv[0]}: command not found\n`);
    const env = { ...baseEnvironment(path), ...options.env };
    const launch = await isolation.launch(place, { argv: [program, ...argv.slice(1)], cwd, env, options });
    this.#assertOpen();
    if (options.signal.aborted) throw abortReason(options.signal);
    return (
      startCommand(launch, { base: place.base, blobs: trees.blobs, redact }, options) ??
      refusal(126, `${argv[0]}: argument list too long\n`)
    );
  }

  #startAhead(argv: readonly string[], options: ExecOptions): void {
    if (!this.#open) return;
    const start = async (timeoutMs: number) => {
      const signal = new AbortController().signal; // the run that it follows may be aborted, and it not
      const command = await this.#start(argv, "", { ...options, signal, timeoutMs, input: "" });
      return "code" in command ? null : command;
    };
    this.#spares.keep(argv, options, { most: 1, start });
  }

  async snapshot(touched?: readonly string[]): Promise<SnapshotId> {
    await this.#atRest();
    this.#assertWhole();
    return await withAccess(this.#parts.place.workspace, () => this.#tree.capture(touched));
  }

  async restore(id: SnapshotId): Promise<void> {
    await this.#atRest();
    await withAccess(this.#parts.place.workspace, () => this.#tree.restore(id));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    for (const running of this.#running) running.kill();
    const gone = Promise.allSettled([...this.#running].map((running) => running.gone));
    await Promise.all([gone, this.#spares.discard()]);
    await this.#parts.isolation.release(this.#parts.place);
    await removeOwnedFolder(this.#parts.place.base);
  }

  async #accessing<T>(use: () => T): Promise<T> {
    this.#makeUsable();
    this.#assertWhole();
    return await withAccess(this.#parts.place.workspace, async () => use());
  }

  /** After an abort a command may be given up before the last of it is gone. */
  async #atRest(): Promise<void> {
    this.#assertOpen();
    await Promise.allSettled([...this.#running].map(({ over }) => over));
    this.#makeUsable();
  }

  #makeUsable(): void {
    this.#assertOpen();
    makeRootUsable(this.#parts.place);
  }

  #assertWhole(): void {
    if (!this.#tree.torn) return;
    throw new SandboxError("a restore of this workspace did not end, so that it is no state at all; restore it first");
  }

  #assertOpen(): void {
    if (!this.#open) throw new SandboxError("this workspace is disposed of; open another");
  }
}

/** How long after a command another sandbox is started: a workspace that is disposed of at once needs none. */
const IDLE_MS = 20;
/** How many wait for commands of one kind: as many as it takes for commands that follow each other at once to find one. */
const BLANKS = 2;

function fitsBlank({ loads, modules }: ExecOptions): boolean {
  return !loads && modules === undefined;
}

/** The kind of sandbox that such a call can be served by, as spares are kept. Its time and limits come with its order. */
function blankFor({ channel = false }: ExecOptions): [readonly string[], ExecOptions & { channel: boolean }] {
  return [[], { signal: new AbortController().signal, timeoutMs: LONGEST_TIMER_MS, channel }];
}

/** A command that could not be started, as a shell tells it. */
function refusal(code: number, output: string): ExecResult {
  return { code, signal: null, timedOut: false, output, whole: null, channel: null, durationMs: 0 };
}

function assertCommand(argv: readonly string[], { timeoutMs, startMs = 0, env = {}, modules }: ExecOptions): void {
  if (!argv[0]) throw new InvalidInputError("argv", "names no program; give at least one that is not empty");
  if (!(timeoutMs > 0)) throw new InvalidInputError("timeoutMs", `is ${timeoutMs}; give milliseconds above 0`);
  if (!(startMs >= 0)) throw new InvalidInputError("startMs", `is ${startMs}; give milliseconds, 0 or more`);
  if (modules !== undefined && !(isAbsolute(modules) && existsSync(modules))) {
    throw new InvalidInputError("modules", `is ${JSON.stringify(modules)}; give the absolute path of a folder`);
  }
  if (argv.some((argument) => argument.includes("\0"))) throw new InvalidInputError("argv", "holds a NUL character");
  for (const [name, value] of Object.entries(env)) {
    const field = `env[${JSON.stringify(name)}]`;
    if (!/^[^=\0]+$/.test(name)) throw new InvalidInputError(field, "is no name of a variable");
    if (value.includes("\0")) throw new InvalidInputError(field, "holds a NUL character");
  }
}
