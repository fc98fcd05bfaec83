import { spawn } from "node:child_process";
import { join } from "node:path";
import { readManifest, root } from "./workspace.ts";

/** A program ended with a failure. The message is its command with all that it printed. */
export class CommandFailed extends Error {}

export type RunOptions = { cwd?: string; env?: NodeJS.ProcessEnv };

/** Runs a program to its end and resolves to what it printed, stdout and stderr as they came; rejects when it fails. */
export function run(file: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      cwd: options.cwd ?? root,
      env: { ...process.env, ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    const add = (text: string) => {
      output += text;
    };
    child.stdout.setEncoding("utf8").on("data", add);
    child.stderr.setEncoding("utf8").on("data", add);
    child.once("error", reject);
    child.once("close", (code, signal) => {
      if (code === 0) resolve(output);
      else
        reject(new CommandFailed(`$ ${[file, ...args].join(" ")}\n${output}Ended with ${signal ?? `code ${code}`}.`));
    });
  });
}

/** Runs a tool of this repository, by its name in `node_modules/.bin`. */
export function tool(name: string, args: readonly string[], cwd: string = root): Promise<string> {
  return run(join(root, "node_modules", ".bin", name), args, { cwd });
}

/** Runs pnpm at the version that package.json names. It asks nothing, and tells of errors also under `npm run -s`. */
export function pnpm(args: readonly string[]): Promise<string> {
  const env = { CI: "true", npm_config_loglevel: "error" };
  return run("npx", ["-y", readManifest(root).packageManager ?? "pnpm", ...args], { env });
}

/** The end of a script: a failed program is told as it is, without a stack, and makes the script fail. */
export function tellAndFail(error: unknown): void {
  console.error(error instanceof CommandFailed ? error.message : error);
  process.exitCode = 1;
}
