import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as delay, setImmediate as turn } from "node:timers/promises";
import { abortReason, type ExecOptions, type ExecResult, SandboxError } from "@swarm/core";
import { hasCode } from "../files/fs-error.ts";
import { BoundedOutput } from "./bounded-output.ts";
import { Channel } from "./channel.ts";
import { eraseBytes } from "./erase-bytes.ts";
import type { Exit, ProcessTree } from "./process-tree.ts";

/** How a command is started in one tier. */
export type Launch = {
  file: string;
  args: readonly string[];
  cwd: string;
  env: Record<string, string>;
  /** Whether the descriptor after the channel's is one that bwrap tells its status on. */
  tellsStatus: boolean;
  /** What was started, as something that can be ended. `status` is what has been told so far. */
  tree(child: ChildProcess, status: () => string): ProcessTree;
};

export type Running = {
  /** Rejects at once when the signal aborts. */
  result: Promise<ExecResult>;
  /** Settles when nothing of the command is left. */
  gone: Promise<unknown>;
  kill(): void;
};

/** Bytes of output that are kept of one command. */
export const OUTPUT_LIMIT = 30_000;
/** Bytes that a channel may carry. */
export const CHANNEL_LIMIT = 16 * 1024 * 1024;

const MACHINERY_LIMIT = 8_000;
/** From the request to end until the end, when a command is over its time. */
const TERM_GRACE_MS = 200;
/** How long output may still come after everything was killed: only from what escaped the kill. */
const DRAIN_MS = 500;
/** How long an abort waits for the processes to be gone. */
const ABORT_MS = 80;

/**
 * Starts a command. Standard output and error arrive on one pipe. `hide` is a path of the host that is erased from all that
 * the command says, so that what is left of a path below it begins at `/`. Null when the system finds the arguments too
 * long.
 */
export function runCommand(launch: Launch, hide: string, options: ExecOptions): Running | null {
  const started = performance.now();
  const child = start(launch, options);
  if (!child) return null;

  const eraser = eraseBytes(Buffer.from(hide));
  const output = new BoundedOutput(OUTPUT_LIMIT);
  const channel = new Channel(CHANNEL_LIMIT);
  const complaint = new BoundedOutput(MACHINERY_LIMIT);
  const status = new BoundedOutput(MACHINERY_LIMIT);
  listen(child, 1, (chunk) => output.push(eraser.push(chunk)));
  listen(child, 2, (chunk) => complaint.push(chunk));
  if (options.channel) listen(child, 3, (chunk) => channel.push(chunk));
  if (launch.tellsStatus) listen(child, statusDescriptor(options), (chunk) => status.push(chunk));
  const tree = launch.tree(child, () => status.text());

  const exited = exitOf(child);
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const gone = limited(exited, tree, options.timeoutMs)
    .then(async ({ exit, timedOut }): Promise<ExecResult> => {
      await tree.clear();
      // When the time is over, one more turn of the loop, for what arrived while it was busy.
      await Promise.race([closed, delay(DRAIN_MS, undefined, { ref: false }).then(() => turn())]);
      output.push(eraser.end());
      return {
        ...tree.outcome(exit, { status: status.text(), complaint: complaint.text() }),
        timedOut,
        output: output.text(),
        channel: options.channel ? (channel.text()?.replaceAll(hide, "") ?? null) : null,
        durationMs: Math.round(performance.now() - started),
      };
    })
    .finally(() => {
      for (const stream of child.stdio) stream?.destroy();
    });
  return { result: unlessAborted(gone, options.signal, tree), gone, kill: () => tree.kill() };
}

/** The descriptor that bwrap tells its status on. */
export function statusDescriptor(options: Pick<ExecOptions, "channel">): number {
  return options.channel ? 4 : 3;
}

function start(launch: Launch, options: ExecOptions): ChildProcess | null {
  const extra = [options.channel === true, launch.tellsStatus].filter(Boolean).map(() => "pipe" as const);
  try {
    return spawn(launch.file, launch.args, {
      cwd: launch.cwd,
      env: launch.env,
      // A session of its own: no terminal, and a group that can be killed as one.
      detached: true,
      stdio: ["ignore", "pipe", "pipe", ...extra],
    });
  } catch (error) {
    if (hasCode(error, "E2BIG")) return null;
    throw new SandboxError(`${launch.file} cannot be started`, { cause: error });
  }
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

/** Waits for the exit; after `timeoutMs` asks the command to end, and a little later ends it. */
async function limited(exited: Promise<Exit>, tree: ProcessTree, timeoutMs: number) {
  let timedOut = false;
  let grace: NodeJS.Timeout | undefined;
  const limit = setTimeout(() => {
    timedOut = true;
    tree.terminate();
    grace = setTimeout(() => tree.kill(), TERM_GRACE_MS);
  }, timeoutMs);
  try {
    return { exit: await exited, timedOut };
  } finally {
    clearTimeout(limit);
    clearTimeout(grace);
  }
}

async function unlessAborted(gone: Promise<ExecResult>, signal: AbortSignal, tree: ProcessTree): Promise<ExecResult> {
  const { promise: aborted, resolve: onAbort } = Promise.withResolvers<null>();
  const listener = () => onAbort(null);
  signal.addEventListener("abort", listener, { once: true });
  try {
    const result = await Promise.race([gone, aborted]);
    if (result) return result;
    tree.kill();
    await Promise.race([gone.catch(() => null), delay(ABORT_MS, undefined, { ref: false })]);
    throw abortReason(signal);
  } finally {
    signal.removeEventListener("abort", listener);
  }
}
