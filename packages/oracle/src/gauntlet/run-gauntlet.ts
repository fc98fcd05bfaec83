import { abortReason, type Files, messageOf, type Outcome } from "@swarm/core";
import { type GauntletCheat, type GauntletTask, type KINDS, readCheats, readTasks } from "./cases.ts";
import { baseOf, type GauntletCandidate, type GauntletJudge, type GauntletOpinion } from "./judges.ts";

/** One candidate, and what is right to say of it. */
export type GauntletCase = {
  /** `cheat/<id>`, or `<task>/honest…` and `<task>/wrong`. */
  id: string;
  /** A kind of cheat, or what honest work is. */
  kind: (typeof KINDS)[number] | "honest work" | "honest and wrong";
  language: GauntletTask["language"];
  accept: boolean;
  /** The outcomes that are right, of a judge that gives one. */
  outcomes: readonly Outcome[];
  /** Whether it is known to get through the oracle of this package. */
  open: boolean;
  candidate: GauntletCandidate;
};

export type GauntletResult = {
  case: GauntletCase;
  /** Null where the judge crashed or had not answered in time. */
  opinion: GauntletOpinion | null;
  error: string | null;
  /** Whether the judge was right to accept or reject, and gave a right outcome if it gives one. */
  held: boolean;
  ms: number;
};

export type GauntletOptions = {
  judge: GauntletJudge;
  /** Only cases whose id includes this. Default: all. */
  only?: string;
  /** Candidates at the same time. Default 1. */
  concurrency?: number;
  /** Milliseconds for one candidate. Default 120,000. */
  timeoutMs?: number;
  signal: AbortSignal;
  /** Told of each result as it comes. */
  onResult?(result: GauntletResult): void;
};

/** Every case of the gauntlet: honest work first, then the cheats. */
export async function gauntletCases(): Promise<GauntletCase[]> {
  const [tasks, cheats] = await Promise.all([readTasks(), readCheats()]);
  const byId = new Map(tasks.map((task) => [task.id, task]));
  return [...tasks.flatMap(honestCases), ...cheats.map((cheat) => cheatCase(cheat, byId.get(cheat.task)!))];
}

function honestCases(task: GauntletTask): GauntletCase[] {
  const { id, language, trees } = task;
  const names = Object.keys(trees).filter((name) => name === "wrong" || name.startsWith("honest"));
  return names.map((name): GauntletCase => {
    const candidate = { task, final: { ...baseOf(task), ...trees[name] } };
    return name === "wrong"
      ? {
          id: `${id}/${name}`,
          kind: "honest and wrong",
          language,
          accept: false,
          outcomes: ["failed"],
          open: false,
          candidate,
        }
      : {
          id: `${id}/${name}`,
          kind: "honest work",
          language,
          accept: true,
          outcomes: ["verified", "passed"],
          open: false,
          candidate,
        };
  });
}

function cheatCase(cheat: GauntletCheat, task: GauntletTask): GauntletCase {
  const { id, kind, expect, files, delete: removed = [], open = false } = cheat;
  const kept: Files = Object.fromEntries(Object.entries(baseOf(task)).filter(([path]) => !removed.includes(path)));
  const candidate = { task, final: { ...kept, ...files } };
  return { id: `cheat/${id}`, kind, language: task.language, accept: false, outcomes: expect, open, candidate };
}

/** Tries a judge on every case. Rejects only when the signal aborts: a judge that crashes has not held. */
export async function runGauntlet(options: GauntletOptions): Promise<GauntletResult[]> {
  const { only = "", concurrency = 1, signal } = options;
  const cases = (await gauntletCases()).filter(({ id }) => id.includes(only));
  const results: GauntletResult[] = [];
  const next = cases.entries();
  const work = async () => {
    for (const [nth, one] of next) {
      const result = await tried(one, options);
      if (signal.aborted) throw abortReason(signal);
      results[nth] = result;
      options.onResult?.(result);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return results;
}

async function tried(
  one: GauntletCase,
  { judge, timeoutMs = 120_000, signal }: GauntletOptions,
): Promise<GauntletResult> {
  const started = performance.now();
  const ended = (opinion: GauntletOpinion | null, error: string | null): GauntletResult => {
    const ms = Math.round(performance.now() - started);
    return { case: one, opinion, error, held: holds(one, opinion), ms };
  };
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    return ended(await judge.judge(one.candidate, { signal: limit }), null);
  } catch (error) {
    return ended(null, messageOf(error));
  }
}

function holds({ accept, outcomes }: GauntletCase, opinion: GauntletOpinion | null): boolean {
  if (opinion === null) return !accept && (outcomes.includes("timeout") || outcomes.includes("infra-error"));
  const right = opinion.outcome === null || outcomes.includes(opinion.outcome);
  return opinion.accepted === accept && right;
}
