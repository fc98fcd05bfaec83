import { spawn } from "node:child_process";
import { once } from "node:events";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { SandboxError } from "@swarm/core";
import { hasCode } from "../files/fs-error.ts";

export type GitOptions = {
  cwd: string;
  input?: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
  /** Folder above which no repository is looked for. */
  ceiling?: string;
  /** The exit code by which a command says that there is nothing, which is no failure then. */
  none?: number;
};

/** Git said no: `message` is what it said. */
export class GitError extends SandboxError {}

/**
 * Runs git where nothing but its arguments decides what it does: no configuration or attributes of the user or the
 * system, no replaced objects, no prompt, and no fetching of objects that a partial clone lacks.
 */
export async function git(args: readonly string[], options: GitOptions): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  await streamGit(args, options, async (output) => {
    for await (const chunk of output) chunks.push(chunk);
  });
  return Buffer.concat(chunks);
}

/** The same with the output as a stream. `consume` must read it to its end. */
export async function streamGit(
  args: readonly string[],
  options: GitOptions,
  consume: (output: AsyncIterable<Buffer>) => Promise<void>,
): Promise<void> {
  const child = spawn("git", [...SETTINGS, ...args], {
    cwd: options.cwd,
    env: hermetic(options.ceiling),
    stdio: ["pipe", "pipe", "pipe"],
  });
  let complaint = "";
  child.stderr.on("data", (chunk: Buffer) => {
    complaint = `${complaint}${chunk}`.slice(0, 4000);
  });
  try {
    const closed = once(child, "close");
    const written = pipeline(Readable.from(options.input ?? []), child.stdin).catch((error: unknown) => {
      // Git that ends before it has read all says why on stderr.
      if (!hasCode(error, "EPIPE", "ERR_STREAM_PREMATURE_CLOSE")) throw error;
    });
    const [[code]] = await Promise.all([closed, consume(child.stdout), written]);
    if (code !== 0 && code !== options.none)
      throw new GitError(`git ${args[0]} failed: ${complaint.trim() || `exit code ${code}`}`);
  } catch (error) {
    if (hasCode(error, "ENOENT")) throw new SandboxError("git is not on PATH; install it", { cause: error });
    throw error;
  } finally {
    child.kill("SIGKILL");
  }
}

const SETTINGS = [
  "core.ignoreCase=false",
  "safe.directory=*",
  "fastimport.unpackLimit=0",
  "init.defaultBranch=main",
].flatMap((setting) => ["-c", setting]);

function hermetic(ceiling?: string): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_SYSTEM: "/dev/null",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_NO_LAZY_FETCH: "1",
    GIT_ALLOW_PROTOCOL: "none",
    ...(ceiling === undefined ? {} : { GIT_CEILING_DIRECTORIES: ceiling }),
  };
}
