import { type Call, faultOf, type LogHeader, memoryLogStore, type Payload, type RunEvent, runTask } from "@swarm/core";
import { conformanceTask, conformanceTeam } from "@swarm/core/testing";
import { describe, expect, test } from "vitest";
import { progress } from "./progress.ts";

const facts: Pick<LogHeader, "team" | "prices"> = {
  team: { name: "team", version: "1", config: { calls: { coder: 3 } } },
  prices: { "some:model": { input: 1, output: 10 } },
};

let place = 0;
function event(
  payload: Payload,
  { key = "0.0", agent = "coder", stepId = "run/implement" }: Partial<RunEvent> = {},
): RunEvent {
  return { tsIndex: place++, stepId, key, kind: "agent", agent, payload };
}

/** A call with how it ended, as two events. */
function call(call: Call, end: Partial<Extract<Payload, { type: "end" }>>): RunEvent[] {
  const of = `0.${place}`;
  return [
    event({ type: "begin", call, effect: "none" }, { key: of }),
    event({ type: "end", of, value: null, fault: null, snapshot: "s", ...end }, { key: `${of}1` }),
  ];
}

function textOf(events: readonly RunEvent[], options: { whole?: boolean } = {}): string {
  const view = progress({ facts, ...options });
  return events.flatMap((one) => view.lines(one).map(({ text }) => text)).join("\n");
}

const model: Call = {
  op: "model",
  model: "some:model",
  thread: "coder",
  keep: 0,
  add: [],
  settings: "b",
  sha256: "h",
};
const answer = (text: string) => ({ parts: [{ type: "text", text }], stop: "end", tokens: null });
const tokens = { input: 1200, output: 300, reasoning: 0, cacheRead: 50, cacheWrite: 0 };

describe("progress", () => {
  test("tells a whole run", async () => {
    const team = conformanceTeam();
    const { events } = await runTask(conformanceTask, { team, store: memoryLogStore() });
    const inRoot = events.filter(({ stepId }) => stepId === "run" || stepId === "run/write");
    expect(textOf(inRoot)).toMatchInlineSnapshot(`
      "
      [1] prepare: the tests that the task brings
          suite given (checks): which tests it holds is not known yet

      [2] write
          coder [1/3] calls read x3, append (100 in, 20 out)
            read main.txt  ok
            read main.txt  ok
            append main.txt  ok
            read main.txt  ok
          coder [2/3] says: Done. (100 in, 20 out)
          tests: 0 passed, 1 failed: main
          attempt 1 failed: CheckFailed in main at main.txt:1
          reviewer [1] says: It has to say right. (100 in, 20 out)
          hint: It has to say right.
          attempt 2 of 2
          coder [1/3] calls append (100 in, 20 out)
            append main.txt  ok
          coder [2/3] says: Done. (100 in, 20 out)
          tests: 1 passed, 0 failed
          done after 2 attempts
          branches merged: left, right
          race won by candidate 2

      [3] verify: the oracle judges the work in a clean room
          1 passed, 0 failed: verified"
    `);
  });

  test("says of each line which of the parallel lanes it belongs to", async () => {
    const team = conformanceTeam();
    const { events } = await runTask(conformanceTask, { team, store: memoryLogStore() });
    const lanes = events.filter(({ stepId }) => stepId.startsWith("run/all/left"));
    expect(textOf(lanes)).toMatchInlineSnapshot(`
      "
      [1] all/left/write
          all/left: coder [1/3] calls append (100 in, 20 out)
          all/left:   append left.txt  ok
          all/left: coder [2/3] says: Done. (100 in, 20 out)
          all/left: done after 1 attempt"
    `);
  });

  test("numbers a role's model calls against its limit, and says what each used", () => {
    const events = [
      ...call(model, { value: answer("First I\nlook."), tokens, measured: { ms: 4200 } }),
      ...call(model, { value: answer('{"a": 1}'), tokens }),
      ...call(model, { fault: faultOf({ code: "OVERLOADED", message: "too busy\nreally" }) }),
    ];
    expect(textOf(events)).toMatchInlineSnapshot(`
      "    coder [1/3] says: First I look. (1,200 in, 300 out, 50 cached, $0.0043, 4.2 s)
          coder [2/3] answers in JSON (1,200 in, 300 out, 50 cached, $0.0043)
          coder [3/3] failed: OVERLOADED: too busy"
    `);
  });

  test("shows a tool with its main argument, and why it failed", () => {
    const tool = (tool: string, args: Record<string, string | string[]>, value: { ok: boolean; output: string }) =>
      call({ op: "tool", id: "1", tool, args }, { value });
    const events = [
      ...tool("write_file", { path: "src/a.ts", content: "…" }, { ok: true, output: "written" }),
      ...tool("run", { argv: ["npm", "test"] }, { ok: false, output: "exit code 1\nmore" }),
      ...tool("edit_file", { path: "\u001b[2Ja\nb" }, { ok: false, output: "\n no such file" }),
    ];
    expect(textOf(events)).toMatchInlineSnapshot(`
      "      write_file src/a.ts  ok
            run npm test  failed: exit code 1
            edit_file �[2Ja b  failed: no such file"
    `);
  });

  test("counts tests and names the first that failed", () => {
    const result = (id: string, status: "passed" | "failed" | "skipped") =>
      ({ id, file: null, status, message: null, errorType: null, location: null }) as const;
    const test: Call = { op: "test", suites: ["given"] };
    const events = [
      ...call(test, {
        value: { tests: [result("a", "passed"), result("b", "failed"), result("c", "failed")], fault: null },
      }),
      ...call(test, { value: { tests: [result("a", "passed"), result("b", "skipped")], fault: null } }),
      ...call(test, { value: { tests: [], fault: faultOf({ code: "NO_TESTS", message: "no test ran" }) } }),
      ...call(test, { fault: faultOf({ code: "SANDBOX_FAILED", message: "no space left" }) }),
    ];
    expect(textOf(events)).toMatchInlineSnapshot(`
      "    tests: 1 passed, 2 failed: b and 1 more
          tests: 1 passed, 0 failed, 1 skipped
          tests: 0 passed, 0 failed (no test ran)
          tests could not run: no space left"
    `);
  });

  test("tells failures and hints in a line, and on demand whole", () => {
    const fault = faultOf({
      code: "TEST_FAILED",
      message: "1 of 2 failed\n\nassert 1 == 2",
      test: "tests/a.py::b",
      location: "a.py:3",
      errorType: "AssertionError",
    });
    const events = [
      event({ type: "fault", of: null, fault, signature: "x" }),
      event({ type: "recovered", how: "hint", detail: "Count\nfrom one." }, { agent: null }),
      event({ type: "attempt", snapshot: "s", hint: null }, { key: "1.0" }),
    ];
    expect(textOf(events)).toMatchInlineSnapshot(`
      "    attempt 1 failed: AssertionError in tests/a.py::b at a.py:3
          hint: Count from one.
          attempt 2 of 2"
    `);
    expect(textOf(events, { whole: true })).toMatchInlineSnapshot(`
      "    attempt 1 failed: AssertionError in tests/a.py::b at a.py:3
          failure:
            | 1 of 2 failed
            |
            | assert 1 == 2
          hint:
            | Count
            | from one.
          attempt 2 of 2"
    `);
  });

  test("tells what the infrastructure did", () => {
    const ambient = { key: null };
    const dependency = "llm:coder:some:model";
    const events = [
      event({ type: "note", note: { event: "retry", dependency, attempt: 1, error: "429" } }, ambient),
      event({ type: "note", note: { event: "breaker", dependency, to: "open" } }, ambient),
      event({ type: "note", note: { event: "listener_failed", message: "oh" } }, ambient),
      event({ type: "recovered", how: "fallback", detail: "other:model" }),
      event({ type: "recovered", how: "resume", detail: { at: 3 } }, ambient),
      event({ type: "recovered", how: "redelivered", detail: null }, ambient),
      event({
        type: "note",
        note: {
          sent: { to: "qa", urgent: false, about: null, files: ["a", "b"], state: "a".repeat(64) },
          approved: true,
        },
      }),
      event({ type: "begin", call: { op: "test", suites: [] }, effect: "none" }, { key: "7.0" }),
      event(
        { type: "end", of: "7.0", value: null, fault: faultOf({ code: "ABORTED", message: "" }), snapshot: "s" },
        ambient,
      ),
    ];
    expect(textOf(events)).toMatchInlineSnapshot(`
      "    retry 1 of llm:coder:some:model: 429
          the circuit of llm:coder:some:model is open
          a listener failed: oh
          coder falls back to other:model
          the run goes on from its log
          the attempt is delivered again: its worker was lost
          coder: approved, sent, to: qa, not urgent, files: 2
          the tests are running: cut off"
    `);
  });

  test("says what is being waited for", () => {
    const view = progress({ facts });
    expect(view.working()).toBe("the run goes on");
    const [begin, end] = call(model, { value: answer("Done.") });
    view.lines(begin!);
    expect(view.working()).toBe("coder [1/3]: some:model is answering");
    view.lines(end!);
    expect(view.working()).toBe("the run goes on");
  });
});
