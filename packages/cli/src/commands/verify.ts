import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { InvalidInputError, NotFoundError, type Sandbox, SwarmError, type Verdict } from "@swarm/core";
import { cleanRoomOracle, verifyCandidate, verifyRun } from "@swarm/oracle";
import { type IsolationChoice, localSandbox } from "@swarm/sandbox";
import { EXIT } from "../exit-codes.ts";
import type { OptionsOf } from "../flags.ts";
import type { CliIO } from "../io.ts";
import { ISOLATIONS, oneOf } from "../one-of.ts";
import { InterruptWatch } from "../run/interrupt.ts";
import { jsonText } from "../run/views.ts";
import { findLog } from "../show/find-log.ts";
import { readLog } from "../show/read-log.ts";
import { checkFlags, renamed, subjectOf } from "../verify/subject.ts";
import { type Line, line } from "../view/line.ts";
import { printLines, Screen } from "../view/screen.ts";
import { headline, item, unresolvedIn } from "../view/verdict-lines.ts";

type Options = OptionsOf<"verify">;
/** What `--json` prints: of a run with what its log says, and what came out otherwise. */
type Judged = Verdict & { taskId: string; runId?: string; recorded?: Verdict; differences?: string[] };
type Means = { io: CliIO; store: string; isolation: IsolationChoice; signal: AbortSignal };

/** `swarm verify`: the oracle alone, on work of anyone's, or once more on a finished run. Leaves nothing behind. */
export async function verify(options: Options, io: CliIO): Promise<number> {
  checkFlags(options);
  const isolation = oneOf("--isolation", options.isolation, ISOLATIONS);

  const abort = new AbortController();
  const interrupts = new InterruptWatch(io, (by) => abort.abort(new SwarmError("ABORTED", `interrupted by ${by}`)));
  const screen = new Screen(io.stderr, () => "judging: the tests run several times, each in a clean room");
  const store = mkdtempSync(join(tmpdir(), "swarm-verify-"));
  screen.start();
  try {
    const means = { io, store, isolation, signal: abort.signal };
    const judged = await (options.log === undefined
      ? judgeWork(options, means)
      : judgeAgain(options.log, options, means));
    screen.stop();
    if (options.json) io.stdout.write(jsonText(judged));
    else printLines(io.stdout, told(judged));
    return judged.passed && !judged.differences?.length ? EXIT.ok : EXIT.notPassed;
  } catch (error) {
    if (interrupts.signal === null) throw error;
    io.stderr.write(`swarm: ${interrupts.signal}: nothing was decided\n`);
    return EXIT[interrupts.signal];
  } finally {
    screen.stop();
    interrupts.stop();
    rmSync(store, { recursive: true, force: true });
  }
}

async function judgeWork(options: Options, { io, store, isolation, signal }: Means): Promise<Judged> {
  const sandbox = sandboxOf({ store, isolation });
  const { task, candidate, runners } = await subjectOf(options, io.cwd, sandbox);
  const oracle = cleanRoomOracle({ runners });
  const judge = () => verifyCandidate({ task, candidate, sandbox, oracle, signal });
  const verdict = await renamed(
    () => renamed(judge),
    options.task === undefined ? { "source.revision": "--base" } : {},
  );
  return { taskId: task.id, ...verdict };
}

async function judgeAgain(name: string, options: Options, { io, store, isolation, signal }: Means): Promise<Judged> {
  const given = options.runs === undefined ? null : resolve(io.cwd, options.runs);
  const path = await findLog(name, given ?? resolve(io.cwd, "runs"), io.cwd);
  const { trajectory, objects, torn } = await readLog(path, given ?? dirname(path));
  if (torn) io.stderr.write("swarm: the log's last line is torn, and taken as not written\n");
  const { header, events, taskId, runId } = trajectory;
  const sandbox = sandboxOf({ store, isolation, readOnlyStore: objects });
  try {
    const { recorded, verdict, differences } = await verifyRun({ header, events, sandbox, signal });
    return { taskId, runId, ...verdict, recorded, differences };
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    const problem = `${objects} does not hold the files of run ${runId} (${error.message})`;
    throw new InvalidInputError("--runs", `${problem}; name the folder whose \`objects\` does`, { cause: error });
  }
}

/** Says at once where isolation is required and there is none. */
function sandboxOf(options: Parameters<typeof localSandbox>[0]): Sandbox {
  const sandbox = localSandbox(options);
  void sandbox.tier;
  return sandbox;
}

function told({ taskId, runId, recorded, differences = [], ...verdict }: Judged): Line[] {
  const { signals, evidence, outcome } = verdict;
  const of = runId === undefined ? `task ${taskId}` : `run ${runId} of task ${taskId}`;
  const lines = [
    line(of),
    headline(verdict),
    line(`  ${signals.testsPassed} passed, ${signals.testsFailed} failed`),
    ...unresolvedIn(verdict),
    ...(outcome === "insensitive" && runId === undefined
      ? [item("tests of the work are at a later revision? name it with --tests-from")]
      : []),
    ...(typeof evidence["sha256"] === "string" ? [line(`evidence ${evidence["sha256"]}`, "dim")] : []),
  ];
  if (!recorded) return lines;
  const same = line("the same as the log says: outcome, counts and evidence", "green");
  const other = [line("NOT the same as the log says", "red"), ...differences.map((one) => item(one))];
  return [...lines, ...(differences.length === 0 ? [same] : other)];
}
