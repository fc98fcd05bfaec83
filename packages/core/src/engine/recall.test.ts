import { expect, test } from "vitest";
import { z } from "zod";
import type { Json } from "../contracts/json.ts";
import type { Memory, Recollection } from "../contracts/memory.ts";
import { defineProgram } from "../contracts/program.ts";
import type { Role, Team } from "../contracts/team.ts";
import { ProviderError } from "../errors.ts";
import { createGuard } from "../guard/create-guard.ts";
import { memoryLogStore } from "../log/memory-log-store.ts";
import { memorySandbox } from "../testing/memory-sandbox.ts";
import { conformanceTask, conformanceTeam } from "../testing/team.ts";
import { replayRun } from "./replay-run.ts";
import { resumeRun } from "./resume-run.ts";
import { startRun } from "./start-run.ts";

const found = (id: string): Recollection => ({ id, text: `what ${id} did`, distance: null });
const down = new ProviderError("CONNECTION", "no memory there", { retryable: true });

/** A memory that says what it was asked, and answers by `recall`. */
function memoryOf(recall: Memory["recall"]): Memory & { asked: { question: string; limit: number }[] } {
  const asked: { question: string; limit: number }[] = [];
  return {
    specificationVersion: "v1",
    asked,
    async recall(question, options) {
      asked.push({ question, limit: options.limit });
      return await recall(question, options);
    },
  };
}

/** A team whose one step asks the coder's memory `questions`, and gives back the answers. */
function teamOf(questions: readonly string[], memory?: Role["memory"]): Team {
  const base = conformanceTeam();
  const sandbox = memorySandbox(); // one for all runs, so that a replay finds the task
  const program = defineProgram<null, Json>({
    name: "do",
    input: z.null(),
    output: z.json(),
    async attempt(context) {
      const answers: Recollection[][] = [];
      for (const question of questions) answers.push(await context.role("coder").recall(question));
      return context.done(answers);
    },
  });
  return {
    ...base,
    roles: { coder: { ...base.roles["coder"]!, ...(memory ? { memory } : {}) } },
    programs: [program],
    defaults: { ...base.defaults, sandbox: () => sandbox },
    async workflow(run) {
      const result = await run.step(program, null);
      return result.ok ? result.output : { fault: result.fault };
    },
  };
}

async function run(team: Team, options: { secrets?: string[] } = {}) {
  const store = memoryLogStore();
  const guard = createGuard({ baseMs: 0 });
  try {
    const trajectory = await startRun(conformanceTask, { team, store, guard, ...options }).result;
    const ends = trajectory.events.flatMap(({ payload, agent }) =>
      payload.type === "end" && agent === "coder" ? [payload] : [],
    );
    const notes = trajectory.events.flatMap(({ payload }) => (payload.type === "note" ? [payload.note] : []));
    return { trajectory, ends, notes, store };
  } finally {
    guard.dispose();
  }
}

test("what a memory gave back is in the log, and from there when the run is replayed or resumed", async () => {
  const memory = memoryOf(async (question) => [found(question), { ...found("b"), distance: 0.5 }]);
  const team = teamOf(["a"], { store: memory });
  const { trajectory, ends, store } = await run(team);
  const answer = [found("a"), { ...found("b"), distance: 0.5 }];
  expect(trajectory.report).toEqual([answer]);
  expect(ends).toMatchObject([{ value: answer, fault: null }]);
  expect(memory.asked).toEqual([{ question: "a", limit: 3 }]);

  const { divergence, trajectory: again } = await replayRun(trajectory.runId, { team, store });
  expect(divergence).toBeNull();
  expect(again.report).toEqual([answer]);
  await resumeRun(trajectory.runId, { team, store }).result;
  expect(memory.asked).toHaveLength(1);
});

test("a role without a memory asks none, and nothing is logged", async () => {
  const { trajectory, ends } = await run(teamOf(["a"]));
  expect(trajectory.report).toEqual([[]]);
  expect(ends).toEqual([]);
});

test("no more is given back than was asked for", async () => {
  const memory = memoryOf(async () => [found("a"), found("b"), found("c")]);
  const { trajectory } = await run(teamOf(["x"], { store: memory, topK: 2 }));
  expect(trajectory.report).toEqual([[found("a"), found("b")]]);
  expect(memory.asked).toEqual([{ question: "x", limit: 2 }]);
});

test("one that is down is asked again, then left alone behind its breaker, and the role goes on without", async () => {
  const memory = memoryOf(() => Promise.reject(down));
  const { trajectory, ends, notes } = await run(teamOf(["a", "b", "c", "d", "e"], { store: memory }));
  expect(trajectory.report).toEqual([[], [], [], [], []]);
  expect(ends.map(({ fault }) => fault?.code)).toEqual([
    "CONNECTION",
    "CONNECTION",
    "CONNECTION",
    "CIRCUIT_OPEN",
    "CIRCUIT_OPEN",
  ]);
  expect(memory.asked).toHaveLength(3 * 4); // each call once, and 3 times more
  expect(notes).toContainEqual({ event: "breaker", dependency: "memory", to: "open" });
});

test.each<[string, () => Promise<unknown>, string]>([
  ["throws", () => Promise.reject(new Error("damaged")), "CRASHED"],
  ["gives back something else", async () => [{ id: 1 }], "BAD_RESPONSE"],
])("one that %s is no reason to fail either", async (_, recall, code) => {
  const memory = memoryOf(recall as Memory["recall"]);
  const { trajectory, ends } = await run(teamOf(["a"], { store: memory }));
  expect(trajectory.report).toEqual([[]]);
  expect(ends).toMatchObject([{ value: null, fault: { code } }]);
});

test("secrets go neither into a question nor out of an answer", async () => {
  const secret = "hunter2-hunter2";
  const memory = memoryOf(async () => [{ ...found("a"), text: `the password is ${secret}` }]);
  const { trajectory } = await run(teamOf([`log in with ${secret}`], { store: memory }), { secrets: [secret] });
  expect(memory.asked).toEqual([{ question: "log in with [redacted-secret]", limit: 3 }]);
  expect(trajectory.report).toMatchObject([[{ text: "the password is [redacted-secret]" }]]);
});

test("an abort ends a run whose memory never answers", async () => {
  const memory = memoryOf(() => new Promise(() => {}));
  const running = startRun(conformanceTask, { team: teamOf(["a"], { store: memory }), store: memoryLogStore() });
  running.on("agent", () => running.abort("enough"));
  expect((await running.result).verdict.outcome).toBe("aborted");
});
