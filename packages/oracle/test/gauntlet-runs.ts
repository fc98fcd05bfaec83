import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Files } from "@swarm/core";

/** By test id, how each test ended. */
export type Results = Record<string, "passed" | "failed" | "skipped">;

/** A folder for one test file's workspaces, and what is run in them: the real runners, without any judge. */
export type Ground = {
  /** Makes a workspace of these layers; `null` removes a file of a layer below. */
  lay(name: string, layers: readonly Record<string, Files[string] | null>[]): Promise<string>;
  /** Runs the tests of many workspaces in one process of the runner, and gives the results of each workspace by name. */
  results(runner: "pytest" | "node:test", entries: Record<string, readonly string[]>): Promise<Record<string, Results>>;
  [Symbol.asyncDispose](): Promise<void>;
};

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));

export async function openGround(): Promise<Ground> {
  const root = await mkdtemp(join(tmpdir(), "gauntlet-"));
  return {
    lay: (name, layers) => lay(join(root, name), Object.assign({}, ...layers)),
    async results(runner, entries) {
      const output = await outputOf(runner === "pytest" ? pytest(entries) : nodeTest(entries), root);
      const results: Record<string, Results> = {};
      for (const line of output.split("\n").filter((one) => one.startsWith('{"folder"'))) {
        const { folder, test, outcome } = JSON.parse(line);
        results[folder] ??= {};
        results[folder][test] = outcome;
      }
      return results;
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

async function lay(workspace: string, files: Record<string, Files[string] | null>): Promise<string> {
  await mkdir(workspace);
  for (const [path, content] of Object.entries(files)) {
    if (content === null) continue;
    const file = join(workspace, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, typeof content === "string" ? content : Buffer.from(content.base64, "base64"));
    if (typeof content !== "string" && content.executable) await chmod(file, 0o755);
  }
  return workspace;
}

function pytest(entries: Record<string, readonly string[]>): string[] {
  return ["python3", here("gauntlet_pytest.py"), JSON.stringify(entries)];
}

function nodeTest(entries: Record<string, readonly string[]>): string[] {
  const options = [
    "--test-concurrency=4",
    `--test-reporter=${here("gauntlet-reporter.mjs")}`,
    "--test-reporter-destination=stdout",
  ];
  const files = Object.entries(entries).flatMap(([folder, paths]) => paths.map((path) => join(folder, path)));
  return [process.execPath, "--test", ...options, ...files];
}

/** What a command prints, whatever its exit code; its environment names no test runner that it could take for its parent. */
function outputOf([program = "", ...args]: string[], cwd: string): Promise<string> {
  const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, ...rest } = process.env;
  const env = { ...rest, PYTHONDONTWRITEBYTECODE: "1", PYTEST_DISABLE_PLUGIN_AUTOLOAD: "1" };
  return new Promise((resolve, reject) => {
    execFile(program, args, { cwd, env, maxBuffer: 2 ** 26 }, (error, stdout) =>
      error !== null && typeof error.code !== "number" ? reject(error) : resolve(stdout),
    );
  });
}
