import type { RunEvent, Trajectory } from "@swarm/core";
import { recordOf, recordText } from "@swarm/memory";
import { expect, it } from "vitest";

/** A finished run, as far as a record is made from it. */
function trajectory(more: { report?: unknown; patch?: string; outputs?: unknown[]; passed?: boolean }) {
  const { report = null, patch = "", outputs = [], passed = true } = more;
  const events = outputs.map((output, index) => ({
    payload: { type: "result", result: { stepId: `run/${index}`, ok: true, output } },
  }));
  return {
    runId: "run-1",
    header: { task: { id: "t", prompt: "Do it." } },
    verdict: { passed, outcome: passed ? "verified" : "failed", reasons: ["hidden test x failed"] },
    report,
    events: events as unknown as RunEvent[],
    patch: async () => new TextEncoder().encode(patch),
  } as unknown as Trajectory;
}

/** A patch that adds a file. */
const added = (path: string, text: string) =>
  `diff --git a/${path} b/${path}\n@@ -0,0 +1 @@\n${text.replace(/^(?=.)/gm, "+")}`;

it("tells task, outcome, plan, files, functions and summary of a run", async () => {
  const record = await recordOf(
    trajectory({
      report: { planned: 2, steps: [{ title: "Read" }, { title: "Write" }] },
      outputs: [{ summary: "Looked around." }, { steps: [] }, null, { summary: "Wrote it." }],
      patch: "diff --git a/a.py b/a.py\n@@ -0,0 +1 @@\n+def f():\n+diff --git a/no b/no\n",
    }),
  );
  expect(record).toEqual({
    runId: "run-1",
    task: "Do it.",
    outcome: "verified",
    plan: ["Read", "Write"],
    files: ["a.py"],
    functions: { "a.py": ["f"] },
    summary: "Looked around.\nWrote it.",
  });
  expect(recordText(record)).toBe(
    "Task: Do it.\nOutcome: verified\nPlan: Read; Write\nFiles: a.py\nFunctions: a.py: f\nSummary: Looked around.\nWrote it.",
  );
});

it("tells why a run did not pass, and nothing that its hidden tests said", async () => {
  const report = { steps: [], problem: { code: "TEST_FAILED", message: "f(0) is 1" } };
  const record = await recordOf(trajectory({ report, passed: false }));
  expect(record).toMatchObject({ outcome: "failed", plan: [], summary: "Problem: f(0) is 1" });
  expect(JSON.stringify(record)).not.toContain("hidden");
});

it.each([null, 1, [], "text", { steps: 1, summary: 2, problem: null }, { steps: [null, { title: 1 }] }])(
  "makes nothing of a report that is %j",
  async (report) => {
    expect(await recordOf(trajectory({ report, passed: false }))).toMatchObject({ plan: [], summary: "" });
  },
);

it("bounds all that a run may make long", async () => {
  const many = Array.from({ length: 300 }, (_, index) => `f${index}`);
  const record = await recordOf(
    trajectory({
      report: { steps: many.map((title) => ({ title: title.repeat(200) })), summary: "x".repeat(1e6) },
      patch: many.map((name) => added(`${name}.py`, `def ${name}(): pass\n`.repeat(300))).join(""),
    }),
  );
  expect(JSON.stringify(record).length).toBeLessThan(12_000);
  expect(record.files).toHaveLength(50);
  const generated = added("a.py", many.map((name) => `def ${name}(): pass\n`).join(""));
  expect((await recordOf(trajectory({ patch: generated }))).functions["a.py"]).toHaveLength(30);
  expect((await recordOf(trajectory({ patch: added("a.py", "def f(): pass\n".repeat(2e4)) }))).functions).toEqual({});
});
