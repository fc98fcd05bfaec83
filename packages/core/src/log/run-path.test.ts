import { describe, expect, test } from "vitest";
import type { Trajectory } from "../contracts/trajectory.ts";
import { forkRun } from "../engine/fork-run.ts";
import { resumeRun } from "../engine/resume-run.ts";
import { runTask, startRun } from "../engine/start-run.ts";
import { conformanceTask, conformanceTeam } from "../testing/team.ts";
import { memoryLogStore } from "./memory-log-store.ts";
import { type RunPath, runPath, transitionsOf } from "./run-path.ts";

const conformance = (config = {}) => ({ team: conformanceTeam(config), store: memoryLogStore() });
const inWords = (path: RunPath) =>
  transitionsOf(path).map(({ from, outcome, to }) => `${from} ${outcome ?? ""}> ${to}`);
/** The path from an earlier moment of the run's life: what a reader of the log saw then. */
const at = ({ header, events }: Trajectory, count: number) => runPath({ header, events: events.slice(0, count) });

describe("the path of a run", () => {
  test("has its steps, attempts, hints, branches, race and verdict, each reached from the one before", async () => {
    const path = runPath(await runTask(conformanceTask, conformance()));
    expect(inWords(path)).toEqual([
      "start > write",
      "write retry> diagnose write",
      "diagnose write hint> write",
      "write ok> write",
      "write ok> once",
      "once ok> verify",
      "verify passed> end",
    ]);
    const lanes = (lane: string) => path.nodes.filter((node) => node.lane === lane);
    expect(lanes("run/all/left")).toMatchObject([{ state: "write", outcome: "ok", lost: false }]);
    expect(lanes("run/race-once/0")).toMatchObject([
      { state: "once", outcome: "failed", detail: "LOST: no winner", lost: true },
    ]);
    expect(lanes("run/race-once/1")).toMatchObject([{ state: "once", outcome: "ok", lost: false }]);
    expect(path.nodes[1]).toMatchObject({ stepId: "run/write", attempt: 0, detail: "TEST_FAILED: main" });
    expect(path.nodes[2]).toMatchObject({ kind: "diagnosis", detail: "It has to say right." });
    // branches come from where they were forked, and lead on only where they were joined or won
    const into = (lane: string) => path.edges.filter(({ to }) => path.nodes[to]!.lane === lane);
    const second = path.nodes.findIndex(({ attempt }) => attempt === 1);
    expect(into("run/all/right")).toEqual([{ from: second, to: expect.any(Number), outside: false }]);
    const lost = path.nodes.findIndex(({ lost }) => lost);
    expect(path.edges.filter(({ from }) => from === lost)).toEqual([]);
  });

  test("says why a run failed", async () => {
    const path = runPath(await runTask(conformanceTask, conformance({ broken: true })));
    expect(inWords(path)).toContain("write failed> verify");
    expect(path.nodes.at(-1)).toMatchObject({
      kind: "end",
      outcome: "failed",
      detail: "main.txt does not include right",
    });
  });

  test("is that of the log so far at any moment, and only grows", async () => {
    const whole = await runTask(conformanceTask, conformance());
    for (let count = 0; count <= whole.events.length; count++) {
      const { nodes, edges } = at(whole, count);
      const path = runPath(whole);
      expect(nodes.map(({ state }) => state)).toEqual(path.nodes.slice(0, nodes.length).map(({ state }) => state));
      for (const edge of edges) expect(path.edges).toContainEqual(edge);
    }
  });

  test("a run that was cut short and resumed has both, aside from what the team did", async () => {
    const options = conformance();
    const run = startRun(conformanceTask, options);
    run.on("event", ({ payload }) => {
      if (payload.type === "attempt") run.abort("enough");
    });
    const cut = runPath(await run.result);
    expect(inWords(cut)).toEqual(["start > write"]);
    expect(cut.nodes.at(-1)).toMatchObject({ kind: "end", outcome: "aborted" });
    const resumed = runPath(await resumeRun(run.runId, options).result);
    expect(inWords(resumed)).toEqual(inWords(runPath(await runTask(conformanceTask, conformance()))));
    const outside = resumed.edges.filter(({ outside }) => outside);
    expect(outside.map(({ from, to }) => [resumed.nodes[from]!.state, resumed.nodes[to]!.state])).toEqual([
      ["write", "end"],
      ["end", "resume"],
      ["resume", "write"],
    ]);
  });

  test("has the suites that were tried and frozen, by what the oracle said of each", async () => {
    const { team, store } = conformance();
    const suite = { id: "s", author: "qa", runner: "checks", files: { "checks.json": "[]" } };
    const workflow: typeof team.workflow = async (run) => {
      const admission = await run.admit(suite);
      if (admission.ok) await run.freeze(admission.output);
      await run.freeze({ ...suite, id: "t" });
      return null;
    };
    const path = runPath(await runTask(conformanceTask, { team: { ...team, workflow }, store }));
    expect(inWords(path).slice(0, 4)).toEqual([
      "start > admit",
      "admit admitted> freeze",
      "freeze admitted> freeze",
      "freeze admitted> verify",
    ]);
    expect(path.nodes.slice(1, 4).map(({ detail }) => detail)).toEqual(["s", "s", "t"]);
  });

  test("has the milestones that the workflow names by a snapshot, and no other note", async () => {
    const { team, store } = conformance();
    const workflow: typeof team.workflow = async (run) => {
      await run.note("qa", { closed: { task: "T1", status: "approved", snapshot: run.snapshot } });
      await run.note("qa", { closed: { task: "T2", status: "approved" } });
      await run.note("qa", { snapshot: run.snapshot });
      return null;
    };
    const path = runPath(await runTask(conformanceTask, { team: { ...team, workflow }, store }));
    expect(inWords(path).slice(0, 2)).toEqual(["start > closed", "closed approved> verify"]);
    expect(path.nodes[1]).toMatchObject({ kind: "milestone", detail: "T1" });
  });

  test("a fork's says what it shares with its parent", async () => {
    const options = conformance();
    const { runId } = await runTask(conformanceTask, options);
    const fork = runPath(await forkRun(runId, { ...options, at: 12, hint: "Be quick." }).result);
    expect(fork.nodes[0]).toMatchObject({
      kind: "start",
      shared: true,
      detail: `forked from run ${runId} at event 12`,
    });
    expect(fork.nodes.filter(({ shared }) => shared).length).toBeGreaterThan(1);
    expect(fork.nodes.at(-1)).toMatchObject({ kind: "end", shared: false });
    expect(fork.nodes.filter(({ kind }) => kind === "fork")).toHaveLength(1);
  });
});
