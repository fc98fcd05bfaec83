import type { LLMResponse, Part, Turn } from "@swarm/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { answer, malformed, roleDouble, text, tool } from "../test/role-double.ts";
import { type AgentEnd, type AgentOptions, runAgent } from "./agent-loop.ts";

const read = answer([tool("a")]);
const reads = (count: number) => Array.from({ length: count }, (_, index) => answer([tool(`c${index}`)]));
const finish = (id: string) => tool(id, "finish", { explanation: id });
const again = answer([tool("x", "run_tests", {})]);

type Row = {
  name: string;
  answers: LLMResponse[];
  options?: AgentOptions;
  end: AgentEnd;
  reason?: RegExp;
  used?: string[][];
  said?: RegExp;
};

const rows: Row[] = [
  { name: "ends on words after work", answers: [read, answer([text("done")])], end: "finished", used: [["a"]] },
  {
    name: "takes words at once where no work is expected",
    answers: [answer([text("a hint")])],
    options: { mustAct: false },
    end: "finished",
    used: [],
  },
  {
    name: "nudges an idle answer once, and then it works",
    answers: [answer([text("I would…")]), read, answer([text("done")])],
    end: "finished",
    said: /not done anything/,
  },
  {
    name: "nudges an idle answer once only",
    answers: [answer([text("no need")]), answer([text("really")])],
    end: "idle",
    reason: /none of its tools/,
  },
  {
    name: "asks again after an empty answer",
    answers: [read, answer([]), answer([text("done")])],
    end: "finished",
    said: /was empty/,
  },
  { name: "takes a second empty answer", answers: [read, answer([text(" \n")]), answer([])], end: "finished" },
  {
    name: "does not run the tools of the last answer",
    answers: reads(3),
    options: { maxCalls: 3 },
    end: "calls-spent",
    reason: /1 tool calls were not run/,
    used: [["c0"], ["c1"]],
    said: /is your last/,
  },
  { name: "stops after ten calls by default", answers: reads(10), end: "calls-spent", reason: /^10 model calls/ },
  {
    name: "is idle when the only call there is says words",
    answers: [answer([text("hm")])],
    options: { maxCalls: 1 },
    end: "idle",
  },
  {
    name: "tells a loop at the third equal call and stops at the fourth",
    answers: [again, again, again, again],
    end: "looping",
    reason: /4 times in a row.*run_tests/,
    used: [["x"], ["x"]],
    said: /several times in a row/,
  },
  {
    name: "goes on when a loop is left",
    answers: [again, again, again, read, answer([text("done")])],
    end: "finished",
    used: [["x"], ["x"], ["a"]],
  },
  {
    name: "counts equal calls only in a row",
    answers: [again, again, read, again, again, answer([text("done")])],
    end: "finished",
    used: [["x"], ["x"], ["a"], ["x"], ["x"]],
  },
  {
    name: "sees a loop of calls that cannot be read",
    answers: [1, 2, 3, 4].map(() => answer([malformed("m", "{'a'")])),
    end: "looping",
    used: [],
  },
  {
    name: "takes unreadable calls that differ for no loop",
    answers: [
      ...["{", "{'", "{'a", "{'a'"].map((broken) => answer([malformed("m", broken)])),
      answer([tool("t")]),
      answer([text("done")]),
    ],
    end: "finished",
    used: [["t"]],
  },
  {
    name: "ends at a refusal, with its words, and runs nothing",
    answers: [answer([text("I cannot help"), tool("a")], "refusal")],
    end: "refused",
    reason: /the model refused: I cannot help/,
    used: [],
  },
  {
    name: "ends at a filter",
    answers: [answer([], "filter")],
    end: "refused",
    reason: /content filter stopped/,
  },
  {
    name: "runs no call of an answer that was cut off",
    answers: [answer([tool("a"), tool("b", "write_file", { content: "x" })], "length"), read, answer([text("done")])],
    end: "finished",
    used: [["a"]],
    said: /reached the output limit, so this call/,
  },
  {
    name: "asks for less after words that were cut off",
    answers: [read, answer([text("long…")], "length"), answer([text("short")])],
    end: "finished",
    said: /Give a shorter one/,
  },
  {
    name: "is spent when the last words were cut off",
    answers: [read, answer([text("long…")], "length")],
    options: { maxCalls: 2 },
    end: "calls-spent",
    reason: /was cut off/,
  },
  {
    name: "ends by its tool",
    answers: [answer([tool("a"), finish("f")])],
    options: { finish: "finish" },
    end: "finished",
    used: [["a", "f"]],
  },
  {
    name: "ends once by its tool that is called twice in an answer",
    answers: [answer([finish("f"), finish("g")])],
    options: { finish: "finish" },
    end: "finished",
    used: [["f", "g"]],
  },
  {
    name: "goes on where another call beside the one that ends the work failed",
    answers: [answer([tool("a", "fail"), finish("f")]), answer([finish("g")])],
    options: { finish: "finish" },
    end: "finished",
    used: [["a", "f"], ["g"]],
    said: /another call of the same answer failed/,
  },
  {
    name: "takes no words for an end where a tool ends the work, and says so once",
    answers: [read, answer([text("done")]), answer([text("really done")])],
    options: { finish: "finish" },
    end: "unfinished",
    reason: /did not call finish/,
    said: /Words do not end your work/,
  },
  {
    name: "ends on the last call by its tool alone",
    answers: [read, answer([finish("f")])],
    options: { finish: "finish", maxCalls: 2 },
    end: "finished",
    used: [["a"], ["f"]],
    said: /Of your tools only finish will still run/,
  },
  {
    name: "does not end on the last call beside what is not run",
    answers: [read, answer([tool("b"), finish("f")])],
    options: { finish: "finish", maxCalls: 2 },
    end: "calls-spent",
    reason: /2 tool calls were not run/,
    used: [["a"]],
  },
];

describe("runAgent", () => {
  it.each(rows)("$name", async ({ answers, options, end, reason, used, said }) => {
    const role = roleDouble(answers);
    const result = await runAgent(role, "the task", options);
    expect(result).toMatchObject({ end, calls: answers.length });
    expect(role.asked).toHaveLength(answers.length);
    if (reason) expect(result.reason).toMatch(reason);
    if (used) expect(role.used).toEqual(used);
    if (said) expect(JSON.stringify(role.asked.at(-1)?.turns)).toMatch(said);
  });

  it("gives what the tool that ends the work was called with", async () => {
    const role = roleDouble([answer([finish("f")])]);
    expect(await runAgent(role, "the task", { finish: "finish" })).toMatchObject({ finish: { explanation: "f" } });
  });

  it("answers a malformed call among good ones with an error under its id, in call order", async () => {
    const role = roleDouble([answer([tool("a"), malformed("b", "{'a': 1}"), tool("c")]), answer([text("done")])]);
    await runAgent(role, "the task");
    expect(role.used).toEqual([["a", "c"]]);
    const [, assistant, results] = role.asked[1]!.turns;
    expect(results!.parts).toMatchObject([
      { id: "a", ok: true },
      { id: "b", ok: false, output: expect.stringContaining("could not be read (no JSON)") },
      { id: "c", ok: true },
    ]);
    expect(assistant!.parts[1]).toEqual({ type: "tool", id: "b", tool: "write_file", args: {} });
    expect(JSON.stringify(role.asked[1])).not.toContain("{'a'");
  });

  it("tells two calls with one id apart", async () => {
    const role = roleDouble([answer([tool("a"), tool("a", "list_dir"), tool("a")]), answer([text("done")])]);
    await runAgent(role, "the task");
    expect(role.used).toEqual([["a", "a_2", "a_3"]]);
    expect(role.asked[1]!.turns[1]!.parts).toMatchObject([{ id: "a" }, { id: "a_2", tool: "list_dir" }, { id: "a_3" }]);
  });

  it("sends reasoning back in its place and the same", async () => {
    const thought: Part = { type: "reasoning", provider: "p", data: { thinking: "", signature: "s" } };
    const parts = [thought, text("let me look"), thought, tool("a")];
    const role = roleDouble([answer(parts), answer([text("done")])]);
    await runAgent(role, "the task");
    expect(role.asked[1]!.turns[1]).toEqual({ role: "assistant", parts });
  });

  it("goes on from turns and asks for the output that it was given", async () => {
    const turns: Turn[] = [{ role: "user", parts: [text("first")] }];
    const role = roleDouble([answer([text("{}")])]);
    const result = await runAgent(role, turns, { mustAct: false, output: { type: "object" } });
    expect(role.asked).toEqual([{ turns, cacheable: false, output: { type: "object" } }]);
    expect(result.turns).toEqual([...turns, { role: "assistant", parts: [text("{}")] }]);
    expect(turns).toHaveLength(1);
  });

  it.each([0, 11, 1.5, Number.NaN])("refuses %s model calls", async (maxCalls) => {
    await expect(runAgent(roleDouble([]), "x", { maxCalls })).rejects.toMatchObject({
      code: "INVALID_INPUT",
      field: "maxCalls",
    });
  });

  it("lets a failed model call through", async () => {
    await expect(runAgent(roleDouble([read]), "x")).rejects.toThrow("model call 2 was not expected");
  });

  const part: fc.Arbitrary<Part> = fc.oneof(
    fc.string({ maxLength: 3 }).map(text),
    fc.constantFrom("a", "b", "").map((id) => tool(id)),
    fc.constantFrom("a", "b").map((id) => malformed(id, "{")),
    fc.constant<Part>({ type: "reasoning", provider: "p", data: 1 }),
  );
  const response = fc.record({
    parts: fc.array(part, { maxLength: 4 }),
    stop: fc.constantFrom("end" as const, "tool" as const, "length" as const, "refusal" as const),
    tokens: fc.constant(null),
  });

  it("keeps a thread that any provider takes, whatever the model answers", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(response, { minLength: 10, maxLength: 10 }), async (answers) => {
        const role = roleDouble(answers);
        const result = await runAgent(role, "the task");
        for (const turns of [...role.asked.map((request) => request.turns), result.turns]) expectSound(turns);
        expect(result.calls).toBeLessThanOrEqual(10);
        expect(role.used.flat().length).toBeLessThanOrEqual(answers.flatMap((given) => given.parts).length);
      }),
    );
  });
});

/** Sides alternate, no turn is empty, ids are unique in a turn, and every tool call has its result in the next turn. */
function expectSound(turns: readonly Turn[]): void {
  for (const [index, turn] of turns.entries()) {
    expect(turn.role).toBe(index % 2 === 0 ? "user" : "assistant");
    expect(turn.parts.length).toBeGreaterThan(0);
    const calls = turn.parts.flatMap((part) => (part.type === "tool" ? [part.id] : []));
    const results = (turns[index + 1]?.parts ?? []).flatMap((part) => (part.type === "result" ? [part.id] : []));
    expect(results).toEqual(calls);
    expect(new Set(calls).size).toBe(calls.length);
    expect(turn.parts.every((part) => part.type !== "malformed")).toBe(true);
  }
}
