import { type FrozenSuite, type OracleContext, SandboxError, type SnapshotId } from "@swarm/core";
import { PYTHON_VARIANTS } from "./python-variants.ts";
import type { SuiteVariants } from "./variants.ts";

const MAKE_TIMEOUT_MS = 20_000;

/** The variants of a suite's files by path, made by a parser of their language. None of the suite's code is run. */
export async function makeVariants(suite: FrozenSuite, context: OracleContext): Promise<SuiteVariants> {
  const { snapshots } = context.sandbox;
  const paths = await snapshots.list(suite.snapshot);
  const python = paths.filter((path) => path.endsWith(".py") && !/(?:^|\/)conftest\.py$/.test(path));
  if (python.length > 0) return await makePythonVariants(suite.snapshot, python, context);
  const scripts = paths.filter((path) => /\.[cm]?[jt]s$/.test(path));
  if (scripts.length === 0) return {};
  const { javascriptVariants } = await import("./javascript-variants.ts"); // its parser is loaded when it is needed
  const variants: SuiteVariants = {};
  for (const path of scripts) {
    const text = Buffer.from(await snapshots.read(suite.snapshot, path)).toString();
    const made = javascriptVariants(path, text, { tests: suite.entries, suite: paths });
    if (made) variants[path] = made;
  }
  return variants;
}

async function makePythonVariants(
  snapshot: SnapshotId,
  paths: string[],
  context: OracleContext,
): Promise<SuiteVariants> {
  const { sandbox, signal } = context;
  await using workspace = await sandbox.open({ snapshot, lane: "oracle" }, { signal });
  const { channel, code, output } = await workspace.exec(
    ["python3", "-I", "-c", PYTHON_VARIANTS, JSON.stringify(paths)],
    { signal, timeoutMs: MAKE_TIMEOUT_MS, channel: true },
  );
  if (code !== 0 || !channel) throw new SandboxError(`the tests could not be parsed: ${output}`);
  return JSON.parse(channel) as SuiteVariants;
}

/** The suite with some of its files replaced. */
export async function suiteWith(
  suite: FrozenSuite,
  files: Record<string, string>,
  { sandbox: { snapshots } }: OracleContext,
): Promise<FrozenSuite> {
  return { ...suite, snapshot: await snapshots.overlay(suite.snapshot, [await snapshots.put({ files })]) };
}
