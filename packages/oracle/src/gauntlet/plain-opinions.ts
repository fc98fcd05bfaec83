import { abortReason, type Files, NotFoundError, type OracleContext, type Workspace } from "@swarm/core";
import { npmTest } from "../integrity/npm-test.ts";
import type { GauntletTask } from "./cases.ts";
import { bytesOf, snapshotOf } from "./snapshot-of.ts";

/** What three judges in common use say of a candidate: whether they let it pass. */
export type PlainOpinions = { exitCode: boolean; junitFile: boolean; summary: boolean };

const REPORT = "report.xml";
const TIME_LIMIT_MS = 60_000;

/**
 * Runs a project's own test command in the candidate's final folder, asked for a JUnit file too, and believes what is left: the
 * exit code, the file, the last summary on standard output.
 */
export async function plainOpinions(
  runner: GauntletTask["runner"],
  final: Files,
  { sandbox, signal }: OracleContext,
): Promise<PlainOpinions> {
  const snapshot = await snapshotOf(final, sandbox);
  await using workspace = await sandbox.open({ snapshot, lane: "gauntlet" }, { signal });
  await addLeftOut(workspace, final, new Set(await sandbox.snapshots.list(snapshot)), signal);
  const { argv, env } = await commandOf(runner, final);
  const { code, output } = await workspace.exec(argv, { signal, timeoutMs: TIME_LIMIT_MS, env });
  return {
    exitCode: code === 0,
    junitFile: junitPasses(await reportIn(workspace, signal)),
    summary: SUMMARIES[runner](output),
  };
}

/** Puts the files that no snapshot takes into the workspace: a judge that cleans nothing has them. */
async function addLeftOut(workspace: Workspace, final: Files, taken: ReadonlySet<string>, signal: AbortSignal) {
  const left = Object.entries(final).filter(([path]) => !taken.has(path));
  for (const [path, content] of left) await workspace.write(path, bytesOf(content));
  const programs = left.flatMap(([path, content]) => (typeof content !== "string" && content.executable ? [path] : []));
  if (programs.length > 0) await workspace.exec(["chmod", "+x", ...programs], { signal, timeoutMs: TIME_LIMIT_MS });
}

/** As a project's own: its virtual environment first on the path, and its root on Python's. */
async function commandOf(
  runner: GauntletTask["runner"],
  final: Files,
): Promise<{ argv: string[]; env: Record<string, string> }> {
  if (runner === "pytest") {
    const command = `PATH=/workspace/.venv/bin:$PATH exec python3 -m pytest --junitxml=${REPORT}`;
    // plugins that happen to be installed cost a second each time
    const quick = "-p no:cacheprovider -p no:hypothesispytest -p no:benchmark";
    return { argv: ["sh", "-c", command], env: { PYTHONPATH: "/workspace", PYTEST_ADDOPTS: quick } };
  }
  const textAt = async (path: string) => {
    const content = final[path];
    return content === undefined ? null : Buffer.from(bytesOf(content)).toString();
  };
  const { script, shell, env } = await npmTest(textAt);
  const reporters = ["--test-reporter=spec", "--test-reporter-destination=stdout"];
  reporters.push("--test-reporter=junit", `--test-reporter-destination=${REPORT}`);
  const command = `PATH=/workspace/node_modules/.bin:$PATH; ${script ?? "node --test"} ${reporters.join(" ")}`;
  return { argv: [shell, "-c", command], env };
}

async function reportIn(workspace: Workspace, signal: AbortSignal): Promise<string> {
  try {
    return Buffer.from(await workspace.read(REPORT)).toString();
  } catch (error) {
    if (signal.aborted) throw abortReason(signal);
    if (error instanceof NotFoundError) return "";
    throw error;
  }
}

function junitPasses(xml: string): boolean {
  return xml.includes("<testcase") && !/<(failure|error)\b/.test(xml);
}

/** The last line of its kind decides. */
const SUMMARIES: Record<GauntletTask["runner"], (output: string) => boolean> = {
  pytest(output) {
    const last = [...output.matchAll(/^=+ (.*) in [\d.]+s.* =+$/gm)].at(-1)?.[1] ?? "";
    return /\d+ passed/.test(last) && !/\d+ (failed|error)/.test(last);
  },
  "node:test"(output) {
    const last = (name: string) => Number([...output.matchAll(new RegExp(`^. ${name} (\\d+)$`, "gmu"))].at(-1)?.[1]);
    return last("fail") === 0 && last("pass") > 0;
  },
};
