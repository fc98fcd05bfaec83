import { type ChildProcess, type StdioNull, type StdioOptions, type StdioPipe, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { Socket } from "node:net";
import { Writable } from "node:stream";
import { setTimeout as delay, setImmediate as turn } from "node:timers/promises";
import {
  abortReason,
  type BlobId,
  type Blobs,
  type ExecOptions,
  type ExecResult,
  type Loaded,
  messageOf,
  type Redact,
  SandboxError,
} from "@swarm/core";
import { hasCode } from "../files/fs-error.ts";
import { BoundedOutput } from "./bounded-output.ts";
import { Channel } from "./channel.ts";
import { eraseBytes } from "./erase-bytes.ts";
import { inheritedDescriptors, nothingToRead } from "./inherited.ts";
import type { Exit, ProcessTree } from "./process-tree.ts";
import { WholeOutput } from "./whole-output.ts";

/** How a command is started in one tier. */
export type Launch = {
  file: string;
  args: readonly string[];
  cwd: string;
  env: Record<string, string>;
  /** Whether the descriptor after the channel's is a line to this process: bwrap tells its status there, a plain command waits there. */
  line: boolean;
  /** Files that it has open from the start, as the descriptors after the line's. Each is opened for it alone. */
  given?: readonly { path: string; flags: "r" | "w" }[];
  /** Whether it reads the order of a command from its standard input, which has its own as the descriptor after all others. */
  blank?: boolean;
  /** What was started, as something that can be ended. `status` is what has been told so far. */
  tree(child: ChildProcess, status: () => string): ProcessTree;
  /** Where account is kept of what the command loads: gives it, once, when the command is gone. */
  loads?: { take(): Loaded | null };
  /** What the output has to say besides, asked for when all is over; null for nothing. */
  note?(): string | null;
};

export type Running = {
  /** Rejects at once when the signal aborts. */
  result: Promise<ExecResult>;
  /** Settles when nothing of the command runs any more. */
  over: Promise<unknown>;
  /** Settles when nothing is left of what it ran in either. */
  gone: Promise<unknown>;
  kill(): void;
};

/** A command that was started, and waits for its input if it reads any. */
export type Started = {
  /** Whether it has ended by itself. */
  readonly ended: boolean;
  /** Gives the command its input, and before that its order if it waits for one, and lets its time count. Called once. */
  begin(options: ExecOptions, order?: string): Running;
  /** Lets this process end while the command waits. */
  unref(): void;
};

/** Bytes of output that are kept of one command. */
export const OUTPUT_LIMIT = 30_000;
/** Bytes from the beginning that are kept as a blob of an output that is over {@link OUTPUT_LIMIT}. */
export const WHOLE_LIMIT = 16 * 1024 * 1024;
/** Bytes that a channel may carry. */
export const CHANNEL_LIMIT = 16 * 1024 * 1024;

/** The longest that a timer counts: a limit above it is none. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;
const MACHINERY_LIMIT = 8_000;
/** From the request to end until the end, when a command is over its time. */
const TERM_GRACE_MS = 200;
/** How long output may still come after everything was killed: only from what escaped the kill. */
const DRAIN_MS = 500;
/** How long an abort waits for the processes to be gone. */
const ABORT_MS = 80;

/** Where a command's output goes. */
export type Keeping = {
  /** A folder of the host: its path is erased from all that the command says, so that what is left of one below it begins at `/`. */
  base: string;
  blobs: Blobs;
  /** Takes secrets out of text with one character a byte. */
  redact: Redact;
};

/**
 * Starts a command. Standard output and error arrive on one pipe. Null when the system finds the arguments too long.
 */
export function startCommand(launch: Launch, { base, blobs, redact }: Keeping, options: ExecOptions): Started | null {
  const child = start(launch, options);
  if (!child) return null;

  const eraser = eraseBytes(Buffer.from(base));
  const output = new BoundedOutput(OUTPUT_LIMIT);
  const whole = new WholeOutput(base, { few: OUTPUT_LIMIT, limit: WHOLE_LIMIT });
  const tell = (bytes: Buffer) => {
    output.push(bytes);
    whole.push(bytes);
  };
  const channel = new Channel(CHANNEL_LIMIT);
  const complaint = new BoundedOutput(MACHINERY_LIMIT);
  const status = new BoundedOutput(MACHINERY_LIMIT);
  listen(child, 1, (chunk) => tell(eraser.push(chunk)));
  listen(child, 2, (chunk) => complaint.push(chunk));
  if (options.channel) listen(child, 3, (chunk) => channel.push(chunk));
  if (launch.line) listen(child, lineDescriptor(options), (chunk) => status.push(chunk));
  const tree = launch.tree(child, () => status.text());

  const exited = exitOf(child);
  exited.catch(() => {}); // until somebody waits for it
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));

  const begin = (call: ExecOptions, order = ""): Running => {
    const started = performance.now();
    for (const held of handlesOf(child)) held.ref();
    tree.begin();
    if (launch.blank) {
      give(child.stdin, order);
      give(child.stdio[inputDescriptor(launch, options)], call.input);
    } else give(child.stdin, call.input);
    const over = limited(child, exited, tree, call)
      .then(async ({ exit, timedOut }): Promise<ExecResult> => {
        await tree.clear();
        // When the time is over, one more turn of the loop, for what arrived while it was busy.
        await Promise.race([closed, delay(DRAIN_MS, undefined, { ref: false }).then(() => turn())]);
        tell(eraser.end());
        const note = launch.note?.();
        if (note) tell(Buffer.from(`\n${note}\n`));
        return {
          ...tree.outcome(exit, { status: status.text(), complaint: complaint.text() }),
          timedOut,
          output: output.text(),
          whole: await keep(whole.take(), blobs, redact),
          ...(launch.loads ? { loaded: launch.loads.take() } : {}),
          channel: options.channel ? (channel.text()?.replaceAll(base, "") ?? null) : null,
          durationMs: Math.round(performance.now() - started),
        };
      })
      .finally(() => {
        whole.take(); // closes it where the command had no result
        for (const stream of child.stdio) stream?.destroy();
      });
    const gone = over.finally(() => tree.gone?.());
    gone.catch(() => {}); // who waits for it may come later
    return { result: unlessAborted(over, call.signal, tree), over, gone, kill: () => tree.kill() };
  };

  return {
    get ended() {
      return child.exitCode !== null || child.signalCode !== null;
    },
    begin,
    unref() {
      for (const held of handlesOf(child)) held.unref();
    },
  };
}

/** What keeps this process alive as long as the command lives. */
function handlesOf(child: ChildProcess) {
  return [child, ...child.stdio.filter((stream) => stream instanceof Socket)];
}

/** The descriptor of a launch's line. */
export function lineDescriptor(options: Pick<ExecOptions, "channel">): number {
  return options.channel ? 4 : 3;
}

function inputDescriptor(launch: Launch, options: ExecOptions): number {
  return lineDescriptor(options) + Number(launch.line) + (launch.given?.length ?? 0);
}

function give(stream: ChildProcess["stdio"][number] | undefined, text = ""): void {
  if (!(stream instanceof Writable)) return;
  stream.on("error", () => {}); // it ended without reading all of it
  stream.end(text);
}

function start(launch: Launch, options: ExecOptions): ChildProcess | null {
  const extra = [options.channel === true, launch.line].filter(Boolean).map(() => "pipe" as const);
  const input = launch.blank ? (["pipe"] as const) : [];
  const first = options.input === undefined && !launch.blank ? "ignore" : "pipe";
  const given: number[] = [];
  try {
    for (const { path, flags } of launch.given ?? []) given.push(openSync(path, flags));
    return spawn(launch.file, launch.args, {
      cwd: launch.cwd,
      env: launch.env,
      // A session of its own: no terminal, and a group that can be killed as one.
      detached: true,
      stdio: withoutInherited([first, "pipe", "pipe", ...extra, ...given, ...input]),
    });
  } catch (error) {
    if (hasCode(error, "E2BIG")) return null;
    throw new SandboxError(`${launch.file} cannot be started`, { cause: error });
  } finally {
    for (const descriptor of given) closeSync(descriptor);
  }
}

/** What else this process was started with is not for a command. */
function withoutInherited(stdio: readonly ("ignore" | "pipe" | number)[]): StdioOptions {
  const all: (StdioNull | StdioPipe | number | undefined)[] = [...stdio];
  for (const descriptor of inheritedDescriptors()) all[descriptor] ??= nothingToRead();
  return Array.from(all, (one) => one ?? "ignore");
}

function listen(child: ChildProcess, descriptor: number, onData: (chunk: Buffer) => void): void {
  const stream = child.stdio[descriptor];
  stream?.on("data", onData);
  // A pipe that breaks has ended; how the command ended says what there is to say.
  stream?.on("error", () => stream.destroy());
}

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve, reject) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
    child.on("error", (cause) => reject(new SandboxError(`${child.spawnfile} cannot be started`, { cause })));
  });
}

/**
 * Waits for the exit; when the time is over asks the command to end, and a little later ends it. The time begins with the
 * command or, where it has one to start in, with the first that it says on its channel.
 */
async function limited(
  child: ChildProcess,
  exited: Promise<Exit>,
  tree: ProcessTree,
  { timeoutMs, startMs = 0, channel = false }: ExecOptions,
) {
  let timedOut = false;
  let grace: NodeJS.Timeout | undefined;
  const end = () => {
    timedOut = true;
    tree.terminate();
    grace = setTimeout(() => tree.kill(), TERM_GRACE_MS);
  };
  let limit = setTimeout(end, Math.min(startMs + timeoutMs, LONGEST_TIMER_MS));
  const restart = () => {
    if (timedOut) return;
    clearTimeout(limit);
    limit = setTimeout(end, timeoutMs);
  };
  if (channel && startMs > 0) child.stdio[3]?.once("data", restart);
  try {
    return { exit: await exited, timedOut };
  } finally {
    child.stdio[3]?.off("data", restart);
    clearTimeout(limit);
    clearTimeout(grace);
  }
}

/** Without secrets: it stays on disk, and no log's redaction reaches it. One character a byte loses none. */
async function keep(bytes: Buffer | null, blobs: Blobs, redact: Redact): Promise<BlobId | null> {
  try {
    return bytes && (await blobs.put(Buffer.from(redact(bytes.toString("latin1")), "latin1")));
  } catch (cause) {
    throw new SandboxError(`the output of a command cannot be kept: ${messageOf(cause)}`, { cause });
  }
}

async function unlessAborted(over: Promise<ExecResult>, signal: AbortSignal, tree: ProcessTree): Promise<ExecResult> {
  const { promise: aborted, resolve: onAbort } = Promise.withResolvers<null>();
  const listener = () => onAbort(null);
  if (signal.aborted) listener();
  signal.addEventListener("abort", listener, { once: true });
  try {
    const result = await Promise.race([over, aborted]);
    if (result) return result;
    tree.kill();
    await Promise.race([over.catch(() => null), delay(ABORT_MS, undefined, { ref: false })]);
    throw abortReason(signal);
  } finally {
    signal.removeEventListener("abort", listener);
  }
}
