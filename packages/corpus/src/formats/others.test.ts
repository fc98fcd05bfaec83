import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Schema } from "@swarm/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { conformanceRun, type Made, mockRun, rowsOf } from "../../test/runs.ts";
import { attemptsOf } from "../run/attempts.ts";
import { saidIn } from "../run/said.ts";
import { atif } from "./atif/atif.ts";
import type { Format } from "./format.ts";
import { miniSweAgent } from "./mini-swe-agent.ts";
import { openhands } from "./openhands/openhands.ts";
import { preference } from "./preference.ts";
import { recovery } from "./recovery.ts";
import { sweAgent } from "./swe-agent.ts";

const folder = mkdtempSync(join(tmpdir(), "swarm-formats-"));
let mock: Made;
let conformance: Made;
beforeAll(async () => {
  mock = await mockRun("page-window", folder);
  conformance = await conformanceRun();
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The rows of a run, as they come out of JSON. */
async function read<Row>(format: Format & { schema: Schema<Row> }, made: Made): Promise<Row[]> {
  const { rows } = await rowsOf(format, made);
  return rows.map(({ row }) => (format.schema as Schema<Row>).parse(JSON.parse(JSON.stringify(row))));
}

/** A row after `change`, which breaks a rule; it may be anything. */
// biome-ignore lint/suspicious/noExplicitAny: what is broken here has no type any more
function expectRefused(format: Format, row: unknown, change: (row: any) => unknown): void {
  const broken = JSON.parse(JSON.stringify(row));
  change(broken);
  expect(format.schema.safeParse(broken).success).toBe(false);
}

const answersOf = ({ run }: Made) =>
  saidIn(attemptsOf(run.events)).flatMap(({ calls }) => calls.filter(({ answer }) => answer !== null));

describe("preference", () => {
  test("pairs a failed attempt with the recovery of the same step from the same checkpoint", async () => {
    const [row, ...more] = await read(preference, mock);
    expect(more).toEqual([]);
    const [, failed, recovered] = attemptsOf(mock.run.events);
    expect(row).toMatchObject({
      ...{ task_id: "page-window", run_id: "mock-1", ts_index: failed!.failure!.at, step_id: "run/implement" },
      ...{
        failure_signature: failed!.failure!.signature,
        source: "retry",
        role: "coder",
        snapshot: recovered!.snapshot,
      },
      ...{ hint: recovered!.hint, rejected_attempt: 0, chosen_attempt: 1 },
    });
    expect(row!.prompt.map(({ role }) => role)).toEqual(["system", "user"]);
    expect(JSON.stringify(row!.chosen_prompt)).toContain(JSON.stringify(row!.hint).slice(1, -1));
    expect(JSON.stringify(row!.prompt)).not.toContain(JSON.stringify(row!.hint).slice(1, -1));
    expect(row!.rejected).not.toEqual(row!.chosen);
  });

  test("pairs the loser of a race with its winner", async () => {
    const rows = await read(preference, conformance);
    expect(rows.map(({ source, step_id, chosen_step_id }) => [source, step_id, chosen_step_id])).toEqual([
      ["retry", "run/write", "run/write"],
      ["race", "run/race-once/0/once", "run/race-once/1/once"],
    ]);
  });

  test("refuses rows whose sides are not answers", async () => {
    const [row] = await read(preference, mock);
    expectRefused(preference, row, (broken) => broken.rejected.shift());
    expectRefused(preference, row, (broken) => broken.prompt.push({ role: "assistant", content: "so" }));
    expectRefused(preference, row, (broken) => broken.chosen.splice(1, 1));
  });
});

test("recovery tells of a failure, the hint, and whether it helped", async () => {
  const [row, ...more] = await read(recovery, mock);
  expect(more).toEqual([]);
  expect(row).toMatchObject({ program: "implement", attempt: 0, outcome: { next_passed: true, recovered: true } });
  expect(row!.hint).toBe(attemptsOf(mock.run.events).at(-1)!.hint);
  expect([row!.context.length, row!.diagnosis.length]).toEqual([1, 1]);

  const rows = await read(recovery, await conformanceRun({ broken: true }));
  expect(rows.map(({ attempt, outcome }) => [attempt, outcome.next_passed, outcome.recovered, outcome.run])).toEqual([
    [0, false, false, "failed"],
    [1, null, false, "failed"],
  ]);
  expect(rows[0]!.outcome.next_signature).toBe(rows[1]!.failure_signature);
});

describe("atif", () => {
  test("embeds a document for each conversation, and its metrics add up to the run's", async () => {
    for (const made of [mock, conformance]) {
      const [row] = await read(atif, made);
      const documents = row!.subagent_trajectories!;
      expect(documents).toHaveLength(saidIn(attemptsOf(made.run.events)).length);
      const steps = documents.flatMap((document) => document.steps);
      const sum = (of: (metrics: NonNullable<(typeof steps)[number]["metrics"]>) => number) =>
        steps.reduce((total, { metrics }) => total + (metrics ? of(metrics) : 0), 0);
      const { input, output, cacheRead, cacheWrite } = made.run.usage;
      expect(sum((metrics) => metrics.prompt_tokens!)).toBe(input + cacheRead + cacheWrite);
      expect(sum((metrics) => metrics.completion_tokens!)).toBe(output);
      expect(steps.filter(({ llm_call_count }) => llm_call_count === 1)).toHaveLength(answersOf(made).length);
      const referred = row!.steps.flatMap(({ observation }) =>
        (observation?.results ?? []).flatMap(({ subagent_trajectory_ref: refs = [] }) => refs),
      );
      expect(new Set(referred.map(({ trajectory_id }) => trajectory_id))).toEqual(
        new Set(documents.map(({ trajectory_id }) => trajectory_id)),
      );
    }
  });

  test("refuses documents that break a rule", async () => {
    const [row] = await read(atif, mock);
    // biome-ignore lint/suspicious/noExplicitAny: see expectRefused
    const breaks: ((broken: any) => unknown)[] = [
      (broken) => broken.steps.splice(1, 1),
      (broken) => Object.assign(broken, { verdict: "verified" }),
      (broken) => Object.assign(broken.steps[0], { metrics: { prompt_tokens: 1 } }),
      (broken) => Object.assign(broken.steps[1], { metrics: { prompt_tokens: 1 } }), // a dispatch
      (broken) => Object.assign(broken.steps[1].observation.results[0], { source_call_id: "other" }),
      (broken) => broken.subagent_trajectories.shift(),
      (broken) => broken.subagent_trajectories.push(broken.subagent_trajectories[0]),
      (broken) => Object.assign(broken.subagent_trajectories[0].steps[0], { step_id: 2 }),
      (broken) => Object.assign(broken.subagent_trajectories[0].steps[0], { reward: 1 }),
      (broken) => Object.assign(broken.steps[0], { timestamp: "yesterday" }),
      (broken) => Object.assign(broken, { steps: [] }),
    ];
    for (const change of breaks) expectRefused(atif, row, change);
  });
});

describe("mini-swe-agent", () => {
  test("has every answer as a message with its actions, and ends with the submission", async () => {
    const [row] = await read(miniSweAgent, mock);
    const { messages, info } = row!;
    const answers = messages.filter(({ role }) => role === "assistant");
    expect(answers).toHaveLength(answersOf(mock).length);
    expect(info).toMatchObject({ exit_status: "Submitted", model_stats: { api_calls: mock.run.usage.modelCalls } });
    const patch = Buffer.from(await mock.run.patch()).toString();
    expect(messages.at(-1)).toEqual({
      role: "exit",
      content: patch,
      extra: { exit_status: "Submitted", submission: patch },
    });
    expect(JSON.stringify(messages)).toContain(`"command":"read_file {`);
  });

  test("refuses rows that break a rule", async () => {
    const [row] = await read(miniSweAgent, mock);
    expectRefused(miniSweAgent, row, (broken) => broken.messages.pop());
    expectRefused(miniSweAgent, row, (broken) => broken.messages.push({ role: "user", content: "more" }));
    expectRefused(miniSweAgent, row, (broken) => Object.assign(broken.info, { exit_status: "LimitsExceeded" }));
    expectRefused(miniSweAgent, row, (broken) => Object.assign(broken, { trajectory_format: "mini-swe-agent-1" }));
    expectRefused(miniSweAgent, row, (broken) => {
      broken.messages.find(({ role }: { role: string }) => role === "tool").tool_call_id = "other";
    });
  });
});

describe("swe-agent", () => {
  test("has a step for each answer, and tells nothing twice in its queries", async () => {
    const [row] = await read(sweAgent, mock);
    const { trajectory, history } = row!;
    expect(trajectory).toHaveLength(answersOf(mock).length);
    const told = trajectory.flatMap(({ query }) => query);
    expect(told).toEqual(history.filter(({ role }) => role !== "assistant"));
    const [write] = trajectory.filter(({ action }) => action.startsWith("write_file "));
    expect(write!.observation).toMatch(/bytes/);
  });

  test("refuses rows that break a rule", async () => {
    const [row] = await read(sweAgent, mock);
    expectRefused(sweAgent, row, (broken) => broken.trajectory.pop());
    expectRefused(sweAgent, row, (broken) => Object.assign(broken.info, { exit_status: "done" }));
    expectRefused(sweAgent, row, (broken) => Object.assign(broken.trajectory[0].state, { step: 1 }));
  });
});

describe("openhands", () => {
  test("has an action for each call, of which only the first of an answer has its words", async () => {
    const [row] = await read(openhands, conformance);
    const actions = row!.history.flatMap((event) => (event.kind === "ActionEvent" ? [event] : []));
    const calls = answersOf(conformance).flatMap(({ answer }) => answer!.parts.filter(({ type }) => type === "tool"));
    expect(actions.map(({ tool_name }) => tool_name)).toEqual(
      calls.map((part) => (part.type === "tool" ? part.tool : "")),
    );
    expect(actions.length).toBeGreaterThan(new Set(actions.map(({ llm_response_id }) => llm_response_id)).size);
    const observed = row!.history.flatMap((event) => (event.kind === "ObservationEvent" ? [event.action_id] : []));
    expect(new Set(observed)).toEqual(new Set(actions.map(({ id }) => id)));
  });

  test("refuses rows that break a rule", async () => {
    const [row] = await read(openhands, conformance);
    const nth = (kind: string) => row!.history.findIndex((event) => event.kind === kind);
    expectRefused(openhands, row, (broken) => Object.assign(broken.history[1], { parent_id: "f".repeat(8) }));
    expectRefused(openhands, row, (broken) => Object.assign(broken.history[1], { id: broken.history[0].id }));
    expectRefused(openhands, row, (broken) => broken.history.splice(nth("ActionEvent"), 1));
    expectRefused(openhands, row, (broken) => {
      for (const event of broken.history) {
        if (event.kind === "ActionEvent") event.thought = [{ type: "text", text: "again" }];
      }
    });
    expectRefused(openhands, row, (broken) => Object.assign(broken.history[0], { kind: "OtherEvent" }));
    expectRefused(openhands, row, (broken) => Object.assign(broken.history[0], { extra: 1 }));
  });
});
