import type { FrozenSuite, OracleContext, SnapshotId } from "@swarm/core";
import { SandboxError } from "@swarm/core";
import { type Ground, runInRoom } from "../room.ts";
import { javascriptTwin } from "./javascript-twin.ts";
import { PYTHON_TWIN_MAKER } from "./python-twin.ts";

/** The files of a suite with its equalities wrapped: text by path, `__SWARM_TWIN_SIDE__` where the side stands. */
export type TwinFiles = Record<string, string>;

/** What twins of a suite said about the code. */
export type TwinFindings = {
  /** Tests that passed although an equality of theirs was asked of another value: something is equal to everything. */
  fooled: string[];
  /** Tests that passed and asserted no equality that could be changed: of them the twins say nothing. */
  unasserted: string[];
  /** Why there was nothing to run; null when the twins ran. */
  notMade: string | null;
};

const MAKE_TIMEOUT_MS = 20_000;
const SIDES = ["left", "right"] as const;
type Side = (typeof SIDES)[number] | "probe";

/** Makes a suite's twin files by a parser of its language. Runs none of its code. */
export async function makeTwins(suite: FrozenSuite, context: OracleContext): Promise<TwinFiles> {
  const { snapshots } = context.sandbox;
  const paths = await snapshots.list(suite.snapshot);
  const python = paths.filter((path) => path.endsWith(".py") && !/(?:^|\/)conftest\.py$/.test(path));
  if (python.length > 0) return await makePythonTwins(suite.snapshot, python, context);
  const twins: TwinFiles = {};
  for (const path of paths.filter((path) => /\.[cm]?[jt]s$/.test(path))) {
    const twin = javascriptTwin(path, Buffer.from(await snapshots.read(suite.snapshot, path)).toString());
    if (twin !== null) twins[path] = twin;
  }
  return twins;
}

async function makePythonTwins(snapshot: SnapshotId, paths: string[], context: OracleContext): Promise<TwinFiles> {
  const { sandbox, signal } = context;
  await using workspace = await sandbox.open({ snapshot, lane: "oracle" }, { signal });
  const { channel, code, output } = await workspace.exec(
    ["python3", "-I", "-c", PYTHON_TWIN_MAKER, JSON.stringify(paths)],
    { signal, timeoutMs: MAKE_TIMEOUT_MS, channel: true },
  );
  if (code !== 0 || !channel) throw new SandboxError(`the twins of the tests could not be made: ${output}`);
  return JSON.parse(channel) as TwinFiles;
}

/**
 * Runs a suite that has passed once more with each side of its equalities changed: what honest code computes no longer equals
 * what is expected. A test that passes all the same was fooled, if it asserts an equality at all, which a third run tells.
 */
export async function runTwins(
  suite: FrozenSuite,
  twins: TwinFiles,
  ground: Ground,
  context: OracleContext,
): Promise<TwinFindings> {
  if (Object.keys(twins).length === 0) {
    return { fooled: [], unasserted: [...suite.tests], notMade: "no test asserts an equality that could be changed" };
  }
  const passedWith = async (side: Side): Promise<Set<string>> => {
    const files = Object.fromEntries(
      Object.entries(twins).map(([path, text]) => [path, text.replace("__SWARM_TWIN_SIDE__", side)]),
    );
    const { snapshots } = context.sandbox;
    const snapshot = await snapshots.overlay(suite.snapshot, [await snapshots.put({ files })]);
    const { report } = await runInRoom({ ...suite, snapshot }, ground, context);
    const passed = report.tests.filter(({ status }) => status === "passed" || status === "xpassed");
    return new Set(passed.map(({ id }) => id));
  };
  const survivors = new Set((await Promise.all(SIDES.map(passedWith))).flatMap((passed) => [...passed]));
  if (survivors.size === 0) return { fooled: [], unasserted: [], notMade: null };
  const unasserting = await passedWith("probe");
  const unasserted = [...survivors].filter((id) => unasserting.has(id)).sort();
  const fooled = [...survivors].filter((id) => !unasserting.has(id)).sort();
  const all = suite.tests.length > 0 && suite.tests.every((id) => unasserting.has(id));
  return { fooled, unasserted, notMade: all ? "no test asserts an equality that could be changed" : null };
}
