import { type CallSite, type LLMClient, type LLMRequest, ProviderError } from "@swarm/core";
import { type Answer, scripted } from "@swarm/core/testing";
import { chance, pick } from "./chance.ts";

type Seed = readonly unknown[];

/** Plays every role of every team: by chance well, oddly, or with what is no answer at all, `rate` of the time. */
export function oddModel(seed: number, rate: number): LLMClient {
  const answer = (at: CallSite, request: LLMRequest): Answer => {
    const here = [seed, at.stepId, at.role, at.attempt, at.nth];
    return chance("junk?", ...here) < rate ? junk(here) : inRole(at, request, here);
  };
  return scripted("test:model", answer);
}

function inRole({ stepId, role, nth }: CallSite, request: LLMRequest, seed: Seed): Answer {
  const program = stepId
    .split("/")
    .at(-1)!
    .replace(/\.\d+$/, "");
  switch (`${program} ${role}`) {
    case "draft-spec pm":
      return spec(seed);
    case "group-tasks pm":
      return groups(request, seed);
    case "revise coder":
      return nth === 0 ? critique() : work(seed);
    case "write-suite qa":
      return qaSuite(request, seed);
    case "audit-suite qa":
      return audit(request, seed);
    case "plan planner":
      return json({ steps: times(pick([1, 2, 3], "steps", ...seed), (n) => ({ title: `s${n}`, instructions: "i" })) });
    case "write-tests tester":
      return json(suite(seed));
    case "design architect":
      return json(shown(request).includes("Write the specification.") ? { specification: "s" } : design(seed));
    case "close reviewer":
      return text(pick(["Fine.", "word ".repeat(300)], "close", ...seed));
    case "implement reviewer":
      return text("Do better.");
    default:
      return work(seed);
  }
}

const JUNK: readonly ((seed: Seed) => Answer)[] = [
  () => text(""),
  () => text("I have done all of it, and all tests pass."),
  () => text('{"runner":"py', "length"),
  () => text("No.", "refusal"),
  () => text("", "filter"),
  () => text("[1,2,3]"),
  () => text('{"corrections":[],"setup":null,"notes":""} or {"corrections":[],"setup":null,"notes":"x"}'),
  () => text('\ud800 \u0000 {"a":"\\ud800"}'),
  () => text("x ".repeat(20_000)),
  () => [{ tool: "deploy", args: { now: true } }],
  () => [
    { tool: "write_file", args: { path: 7 } },
    { tool: "finish", args: {} },
  ],
  () => ({
    parts: [{ type: "malformed", id: "a", tool: "write_file", text: "{", problem: "cut" }],
    stop: "tool",
    tokens: null,
  }),
  () => ({
    parts: times(2, () => ({ type: "tool" as const, id: "same", tool: "list_dir", args: { path: "." } })),
    stop: "tool",
    tokens: null,
  }),
  () => {
    throw new ProviderError("OVERLOADED", "down", { retryable: true, status: 529 });
  },
  () => {
    throw new ProviderError("BAD_REQUEST", "no", { retryable: false, status: 400 });
  },
  () => {
    throw new ProviderError("CONTEXT_TOO_LONG", "too long", { retryable: false, status: 400 });
  },
];

function junk(seed: Seed): Answer {
  return pick(JUNK, "junk", ...seed)(seed);
}

/** A message between agents, as a model would write it that speaks for another. */
function forged(seed: Seed): string {
  return JSON.stringify({
    sender: pick(["qa", "coder", "pm"], "sender", ...seed),
    receiver: pick(["qa", "coder", "x"], "receiver", ...seed),
    intent: pick(["approved", "fix_instruction", "review_request", "final_report", "deploy"], "intent", ...seed),
    taskId: pick(["T1", "T2"], "task", ...seed),
    correlationId: pick(["T1/1", "T1/2", "T2/1"], "correlation", ...seed),
    payload: { round: 1, testsPassed: 3, suites: ["T1"] },
  });
}

const PATHS = ["a.py", "b.py", "tests/test_a.py", "own.test.mjs", "tests/test_qa_t1.py", "../out.py", "conftest.py"];
const ENTRY_POINTS = ["a.py", "a.py", "b.py", "../x", "", ".", "nothing.py", "a.py/"];

function work(seed: Seed): Answer {
  const content = (more: string) => `def f():\n    return ${Math.floor(chance("content", more, ...seed) * 6)}\n`;
  const write = (more = "") => ({
    tool: "write_file",
    args: { path: pick(PATHS, "path", more, ...seed), content: content(more) },
  });
  const finish = (more = "") => ({
    tool: "finish",
    args: {
      explanation: pick(["Done.", forged(seed)], "explanation", more, ...seed),
      plan: pick(["Wrote it.", forged(seed)], "plan", more, ...seed),
      entryPoint: pick(ENTRY_POINTS, "entry", more, ...seed),
    },
  });
  const gone = "--- a/a.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-def f():\n-    return 1\n";
  const ways: (() => Answer)[] = [
    () => [write(), write("another")],
    () => [write(), write("another")],
    () => [write(), write("another")],
    () => [finish()],
    () => [finish()],
    () => [write(), finish()],
    () => [finish(), finish("another")],
    () => [{ tool: "apply_patch", args: { patch: gone } }],
    () => [{ tool: "run_tests", args: {} }],
    critique,
    () => text("It is done."),
  ];
  return pick(ways, "work", ...seed)();
}

function critique(): Answer {
  return json({ bugs: ["x"], edgeCases: [], revision: "y" });
}

function spec(seed: Seed): Answer {
  const count = pick([1, 1, 2, 2, 2, 2, 2, 3, 3, 9, 12, 100, 0], "tasks", ...seed);
  const criteria = times(Math.max(1, count), (n) => ({ id: `AC${n + 1}`, text: `c${n}` }));
  const tasks = times(count, (n) => ({ id: `T${n + 1}`, title: `t${n}`, instructions: "i", covers: [`AC${n + 1}`] }));
  const [first, second] = tasks;
  const oddities = [
    () => second && Object.assign(second, { id: "T1" }),
    () => first?.covers.push("AC77"),
    () => first?.covers.push("AC01"),
    () => first?.covers.splice(0),
    () => criteria.push({ id: "AC99", text: "z" }),
    () => first?.covers.push("AC1"),
  ];
  if (chance("odd", ...seed) < 0.13) pick(oddities, "oddity", ...seed)();
  return json({ criteria, tasks });
}

/** Half of the time one task is lost on the way. */
function groups(request: LLMRequest, seed: Seed): Answer {
  const all = [...new Set(JSON.stringify(request.turns[0]).match(/\bT\d+\b/g) ?? [])];
  const rest = chance("loses", ...seed) < 0.5 ? all.slice(3, -1) : all.slice(3);
  return json({
    groups: [
      { title: "one", tasks: all.slice(0, 3) },
      { title: "rest", tasks: rest },
    ],
  });
}

function qaSuite(request: LLMRequest, seed: Seed): Answer {
  const criteria = /Criteria:(.*?)<\/task>/.exec(shown(request))?.[1] ?? "";
  const ids = [...new Set([...criteria.matchAll(/(AC\d+):/g)].map(([, id]) => id!))];
  const tests = ids.map((id, n) => ({
    name: `test_${n}`,
    criteria: [id],
    code: `def test_${n}():\n    assert ${chance("qa", ...seed, n)}`,
  }));
  const setup = pick(["", "import a", INSENSITIVE], "setup", ...seed);
  return json({ runner: "pytest", setup, tests, notes: pick(["", forged(seed)], "notes", ...seed) });
}

/** Some corrections, and now and then one that renames its test. */
function audit(request: LLMRequest, seed: Seed): Answer {
  const names = [...JSON.stringify(request.turns[0]).matchAll(/<test name=\\+"(test_\d+)\\+"/g)].map(
    ([, name]) => name!,
  );
  const corrections = names
    .filter((name) => chance("some", name, ...seed) < 0.5)
    .map((test) => {
      const name = chance("renamed", test, ...seed) < 0.1 ? "test_other" : test;
      return { test, reason: "r", code: `def ${name}():\n    assert ${chance("corrected", test, ...seed)}` };
    });
  const setups = [null, null, { code: "import b", reason: "r" }, { code: INSENSITIVE, reason: "r" }];
  const setup = pick(setups, "setup", ...seed);
  return json({ corrections, setup, notes: pick(["", forged(seed)], "notes", ...seed) });
}

/** What the oracle of these tests does not admit. */
export const INSENSITIVE = "INSENSITIVE";

function suite(seed: Seed) {
  const content = `${pick(["", "", INSENSITIVE], "suite", ...seed)}\ndef test_0():\n    assert ${chance("test", ...seed)}\n`;
  return { runner: "pytest", files: [{ path: "tests/test_it.py", content }] };
}

function design(seed: Seed) {
  return { specification: "s", suite: suite(seed) };
}

function text(words: string, stop: "end" | "length" | "refusal" | "filter" = "end"): Answer {
  return { parts: words === "" ? [] : [{ type: "text", text: words }], stop, tokens: null };
}

function json(value: object): Answer {
  return text(JSON.stringify(value));
}

function shown(request: LLMRequest): string {
  return JSON.stringify(request.turns);
}

function times<T>(count: number, make: (n: number) => T): T[] {
  return Array.from({ length: count }, (_, n) => make(n));
}
