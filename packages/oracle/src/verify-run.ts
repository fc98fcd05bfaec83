import {
  checkInput,
  type Difference,
  differencesBetween,
  type FrozenSuite,
  FrozenSuiteSchema,
  InvalidInputError,
  type Json,
  type JsonObject,
  type LogHeader,
  type Oracle,
  type RunEvent,
  type Sandbox,
  sealedTask,
  type Verdict,
  VerdictSchema,
} from "@swarm/core";
import { cleanRoomOracle } from "./clean-room-oracle.ts";

export type VerifyRunOptions = {
  /** The log of a run that its oracle decided. */
  header: LogHeader;
  events: readonly RunEvent[];
  /** Holds the sealed task and the snapshots of the run. */
  sandbox: Sandbox;
  /** Default: {@link cleanRoomOracle}. */
  oracle?: Oracle;
  /** Aborting it rejects with its reason. */
  signal?: AbortSignal;
};

export type VerifiedRun = {
  recorded: Verdict;
  verdict: Verdict;
  /** What came out otherwise, each for a person: of the outcome, the counts, and what the verdict rests on. */
  differences: string[];
};

/**
 * The verdict of a finished run, made again from its log: the same sealed task, files and frozen suites. Rejects with an
 * {@link InvalidInputError} for a log without a verdict of an oracle, and with a {@link NotFoundError} where files are gone.
 */
export async function verifyRun({ header, events, sandbox, ...options }: VerifyRunOptions): Promise<VerifiedRun> {
  const { oracle = cleanRoomOracle(), signal = new AbortController().signal } = options;
  const recorded = recordedVerdict(events);
  const { final, suites: judged } = recorded.evidence;
  if (typeof final !== "string" || !Array.isArray(judged)) {
    const why = recorded.reasons[0] ?? recorded.outcome;
    throw new InvalidInputError(
      "log",
      `its verdict rests on no tests (${why}), so that there is nothing to judge again`,
    );
  }
  const frozen = frozenSuites(events);
  const ids = judged.map((suite) => (suite as JsonObject)["id"]);
  const suites = [...frozen.values()].filter(({ id }) => ids.includes(id));
  const task = await sealedTask(header, { sandbox });
  const input = { task, base: header.base, final, suites, depth: "full" as const };
  const verdict = await oracle.verify(input, { sandbox, signal });
  return { recorded, verdict, differences: differencesOf(recorded, verdict) };
}

/** What the oracle said, which a run whose last step the machinery ended does not end with. */
function recordedVerdict(events: readonly RunEvent[]): Verdict {
  const said = callsNamed("verify", events).at(-1);
  if (said !== undefined) return checkInput(VerdictSchema, said, { root: "verdict" });
  throw new InvalidInputError("log", "has no verdict of an oracle: the run ended before its work was judged");
}

function frozenSuites(events: readonly RunEvent[]): Map<string, FrozenSuite> {
  const brought = callsNamed("prepare", events).flatMap((value) => value as Json[]);
  const written = events.flatMap(({ payload }) => (payload.type === "frozen" ? [payload.suite] : []));
  const suites = [...brought, ...written].map((suite) => checkInput(FrozenSuiteSchema, suite, { root: "suite" }));
  return new Map(suites.map((suite) => [suite.id, suite]));
}

/** What the engine's own calls of a name gave, in the log's order. */
function callsNamed(name: string, events: readonly RunEvent[]): Json[] {
  const own = events.filter(({ stepId }) => stepId === "run");
  const keys = own.flatMap(({ key, payload }) =>
    payload.type === "begin" && payload.call.op === "other" && payload.call.name === name ? [key] : [],
  );
  return own.flatMap(({ payload }) =>
    payload.type === "end" && payload.fault === null && keys.includes(payload.of) ? [payload.value] : [],
  );
}

function differencesOf(then: Verdict, now: Verdict): string[] {
  const compared = ({ outcome, signals, evidence }: Verdict) => {
    const { place: _, examined: __, ...facts } = evidence;
    return { outcome, signals, evidence: facts };
  };
  const differences = differencesBetween(compared(then) as Json, compared(now) as Json);
  if (differences.length === 0) return [];
  const places = differencesBetween(then.evidence["place"], now.evidence["place"], undefined, "evidence.place");
  return [...differences, ...places].map(inWords);
}

function inWords({ path, before, after }: Difference): string {
  const [then, now] = [before, after].map((value) => JSON.stringify(value) ?? "nothing");
  return `${path}: ${then} then, ${now} now`;
}
