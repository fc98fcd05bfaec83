import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Files } from "@swarm/core";

export type TestRecord = { test: string; event: "started" | "passed" | "failed" | "skipped"; text: string };

const HERE = dirname(fileURLToPath(import.meta.url));

/** Lays files in a folder of its own, runs all tests in it with the real runner, and gives what the runner recorded. */
export async function runTests(
  runner: unknown,
  layers: readonly Files[],
  timeoutMs: number,
): Promise<{ records: TestRecord[]; timedOut: boolean }> {
  const root = await mkdtemp(join(tmpdir(), "swarm-tasks-"));
  try {
    const workspace = join(root, "workspace");
    const files = Object.assign({}, ...layers) as Files;
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(workspace, path)), { recursive: true });
      await writeFile(
        join(workspace, path),
        typeof content === "string" ? content : Buffer.from(content.base64, "base64"),
      );
    }
    const recordsFile = join(root, "records.jsonl");
    await writeFile(recordsFile, "");
    const [program, ...args] = runner === "pytest" ? PYTEST : nodeTest(recordsFile, Object.keys(files));
    const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, ...env } = process.env;
    const child = spawn(program, args, {
      cwd: workspace,
      stdio: "ignore",
      timeout: timeoutMs,
      killSignal: "SIGKILL",
      env: {
        ...env,
        TEST_RECORDS: recordsFile,
        PYTHONPATH: [HERE, process.env["PYTHONPATH"]].filter(Boolean).join(delimiter),
        PYTHONDONTWRITEBYTECODE: "1",
        PYTEST_DISABLE_PLUGIN_AUTOLOAD: "1",
      },
    });
    const [, signal] = await once(child, "close");
    const lines = (await readFile(recordsFile, "utf8")).split("\n").filter((line) => line !== "");
    return { records: lines.map((line) => JSON.parse(line) as TestRecord), timedOut: signal === "SIGKILL" };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

const PYTEST = [
  ...["python3", "-m", "pytest", "-q", "--import-mode=importlib", "--rootdir=."],
  ...["-p", "no:cacheprovider", "-p", "pytest_records"],
] as const;

function nodeTest(recordsFile: string, paths: readonly string[]): readonly [string, ...string[]] {
  const reporter = [`--test-reporter=${join(HERE, "node-records.mjs")}`, `--test-reporter-destination=${recordsFile}`];
  return [process.execPath, "--test", ...reporter, ...paths.filter((path) => path.endsWith(".test.mjs"))];
}
