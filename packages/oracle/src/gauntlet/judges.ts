import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  abortReason,
  type Files,
  messageOf,
  type Outcome,
  type Sandbox,
  type SnapshotId,
  type Task,
  type Workspace,
} from "@swarm/core";
import { cleanRoomOracle } from "../clean-room-oracle.ts";
import type { GauntletTask } from "./cases.ts";

/** One piece of work to judge: a task of the gauntlet, and the candidate's final files over its starter and tests. */
export type GauntletCandidate = { task: GauntletTask; final: Files };
/** `outcome` is null of a judge that only says yes or no; `why` is for a person. */
export type GauntletOpinion = { accepted: boolean; outcome: Outcome | null; why: string };

/** A judge of patches. To try one of your own, give it to `runGauntlet`. */
export interface GauntletJudge {
  readonly name: string;
  /** Rejects when it crashes or the signal aborts; then it has accepted nothing. */
  judge(candidate: GauntletCandidate, options: { signal: AbortSignal }): Promise<GauntletOpinion>;
}

/** Names of the judges that can be tried without writing one: Swarm's oracle, and three that people use. */
export const JUDGES = ["swarm", "exit-code", "junit-file", "summary"] as const;
export type JudgeName = (typeof JUDGES)[number];

/** A judge by its name. All of them run the candidate's code in `sandbox` alone. */
export function judgeNamed(name: JudgeName, sandbox: Sandbox): GauntletJudge {
  return name === "swarm" ? swarmJudge(sandbox) : naiveJudge(name, sandbox);
}

const TIME_LIMIT_MS = 10_000;

function swarmJudge(sandbox: Sandbox): GauntletJudge {
  const oracle = cleanRoomOracle({ timeoutMs: TIME_LIMIT_MS });
  return {
    name: "swarm",
    async judge({ task, final }, { signal }) {
      const context = { sandbox, signal };
      const full = swarmTask(task);
      oracle.validate(full);
      const { snapshots } = sandbox;
      const base = await snapshots.put({ files: baseOf(task) });
      const suites = await oracle.prepare({ task: full, base }, context);
      const work = { base, final: await snapshotOf(final, sandbox) };
      const { passed, outcome, reasons } = await oracle.verify({ task: full, ...work, suites, depth: "full" }, context);
      return { accepted: passed, outcome, why: reasons.join("; ") };
    },
  };
}

function swarmTask({ id, statement, runner, tests, required, hidden, allow, trees }: GauntletTask): Task {
  return {
    id,
    prompt: statement,
    source: { files: trees["starter"] ?? {} },
    testFiles: trees["tests"] ?? {},
    hiddenTestFiles: trees["hidden"] ?? {},
    oracle: {
      runner,
      entries: tests,
      tests: required,
      hiddenEntries: hidden.tests,
      hiddenTests: hidden.required,
      ...(allow ? { allow } : {}),
    },
  };
}

/** What a candidate begins from. */
export function baseOf({ trees }: GauntletTask): Files {
  return { ...trees["starter"], ...trees["tests"] };
}

/** A candidate's files as a folder has them, so that what no snapshot takes, such as `node_modules`, is left out. */
async function snapshotOf(files: Files, { snapshots }: Sandbox): Promise<SnapshotId> {
  const directory = await mkdtemp(join(tmpdir(), "gauntlet-"));
  try {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(directory, path)), { recursive: true });
      const executable = typeof content !== "string" && content.executable === true;
      await writeFile(join(directory, path), bytesOf(content), { mode: executable ? 0o755 : 0o644 });
    }
    return await snapshots.put({ directory });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function bytesOf(content: Files[string]): Uint8Array {
  return typeof content === "string" ? Buffer.from(content) : Buffer.from(content.base64, "base64");
}

const REPORT = "report.xml";

/** Believes what the project's own test command leaves behind in the candidate's final folder. */
function naiveJudge(name: Exclude<JudgeName, "swarm">, sandbox: Sandbox): GauntletJudge {
  return {
    name,
    async judge({ task, final }, { signal }) {
      const snapshot = await snapshotOf(final, sandbox);
      await using workspace = await sandbox.open({ snapshot, lane: "gauntlet" }, { signal });
      const taken = new Set(await sandbox.snapshots.list(snapshot));
      for (const [path, content] of Object.entries(final)) {
        if (!taken.has(path)) await workspace.write(path, bytesOf(content));
      }
      const argv = commandOf(task, final);
      const { code, output } = await workspace.exec(argv, { signal, timeoutMs: TIME_LIMIT_MS, env: ENVIRONMENT });
      const accepted =
        name === "exit-code"
          ? code === 0
          : name === "summary"
            ? SUMMARIES[task.runner](output)
            : junitPasses(await reportIn(workspace, signal));
      return { accepted, outcome: null, why: `exit code ${code}` };
    },
  };
}

/** As a project's own: its virtual environment first on the path, and its root on Python's. */
const ENVIRONMENT = { PYTHONPATH: "/workspace" };

function commandOf({ runner }: GauntletTask, final: Files): string[] {
  if (runner === "pytest") return ["python3", "-m", "pytest", `--junitxml=${REPORT}`];
  const reporters = ["spec", "stdout", "junit", REPORT].map(
    (value, nth) => `--test-reporter${nth % 2 === 0 ? "" : "-destination"}=${value}`,
  );
  return ["sh", "-c", `${scriptIn(final)} "$@"`, "test", ...reporters];
}

/** What `npm test` would run. */
function scriptIn(final: Files): string {
  const manifest = final["package.json"];
  try {
    const { scripts } = JSON.parse(typeof manifest === "string" ? manifest : "{}");
    return typeof scripts?.test === "string" ? scripts.test : "node --test";
  } catch {
    return "node --test";
  }
}

async function reportIn(workspace: Workspace, signal: AbortSignal): Promise<string> {
  try {
    return Buffer.from(await workspace.read(REPORT)).toString();
  } catch (error) {
    if (signal.aborted) throw abortReason(signal);
    return messageOf(error);
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
