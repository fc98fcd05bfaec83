import { z } from "zod";
import { faultOf } from "../contracts/fault.ts";
import type { Json, JsonObject } from "../contracts/json.ts";
import type { Part, Turn } from "../contracts/model.ts";
import type { Oracle } from "../contracts/oracle.ts";
import { defineProgram, type StepContext } from "../contracts/program.ts";
import type { Sandbox } from "../contracts/sandbox.ts";
import type { TeamRef } from "../contracts/step.ts";
import type { FrozenSuite, TestReport, TestRunner } from "../contracts/suite.ts";
import type { Task } from "../contracts/task.ts";
import type { Role, RunContext, Team } from "../contracts/team.ts";
import type { Tool } from "../contracts/tool.ts";
import { InvalidInputError } from "../errors.ts";
import { testFault } from "../test-fault.ts";
import { folderBlobs, memoryBlobs, memorySandbox } from "./memory-sandbox.ts";
import { type Script, scripted } from "./scripted.ts";

/** A test of the check runner: the file at `path` must include `text`. */
type Check = { id: string; path: string; text: string };

/** Makes the conformance team in whatever process needs it: what a worker calls. `config.store` is a folder to share blobs in. */
export function makeTeam(ref: TeamRef): Team {
  if (ref.name !== "conformance") throw new InvalidInputError("team", `there is no team ${ref.name} here`);
  return conformanceTeam(ref.config);
}

/**
 * The team that executors are held against: one line of work with a failing attempt, a hint and a repair, then two
 * branches side by side, then a race. Its model is scripted, its tools and tests work on a memory sandbox.
 */
export function conformanceTeam(config: JsonObject = {}): Team {
  const script = config["broken"] === true ? { ...SCRIPT, ...FOR_EVER_WRONG } : SCRIPT;
  const model = scripted("scripted:conformance", script);
  const sandbox = memorySandbox({
    blobs: typeof config["store"] === "string" ? folderBlobs(config["store"]) : memoryBlobs(),
  });
  const role = (system: string, tools: Role["tools"]): Role => ({ models: [model], system, tools });
  return {
    specificationVersion: "v1",
    name: "conformance",
    version: "1",
    config,
    roles: {
      coder: role("Write the files.", [readTool, appendTool]),
      reviewer: role("Say what is wrong.", [readTool]),
    },
    programs: [write, attemptOnce],
    workflow,
    defaults: { sandbox: () => sandbox, tests: () => checkRunner(sandbox), oracle: () => checkOracle(sandbox) },
  };
}

/** The task that the conformance team solves. */
export const conformanceTask: Task = {
  id: "conformance",
  prompt: "Write what the checks ask for.",
  source: { files: { "main.txt": "start\n" } },
  testFiles: { "checks.json": JSON.stringify([{ id: "main", path: "main.txt", text: "right" }] satisfies Check[]) },
};

const W = (path: string, text: string) => ({ tool: "append", args: { path, text } });
const R = (path: string) => ({ tool: "read", args: { path } });

const SCRIPT: Script & object = {
  "run/write|coder|0.0": [R("main.txt"), R("main.txt"), W("main.txt", "wrong\n"), R("main.txt")],
  "run/write|coder|0.1": "Done.",
  "run/write|reviewer|0.0": "It has to say right.",
  "run/write|coder|1.0": [W("main.txt", "right\n")],
  "run/write|coder|1.1": "Done.",
  "run/all/left/write|coder|0.0": [W("left.txt", "left\n")],
  "run/all/left/write|coder|0.1": "Done.",
  "run/all/right/write|coder|0.0": [W("right.txt", "right\n")],
  "run/all/right/write|coder|0.1": "Done.",
  "run/race-once/0/once|coder|0.0": [W("main.txt", "no winner\n")],
  "run/race-once/1/once|coder|0.0": [W("winner.txt", "winner\n")],
};
const FOR_EVER_WRONG = { "run/write|coder|1.0": [W("main.txt", "still wrong\n")], "run/write|reviewer|1.0": "Again." };

async function workflow(run: RunContext): Promise<Json> {
  const first = await run.step(write, { what: "main", test: true }, { maxRetries: 1 });
  if (!first.ok) return { written: false };
  const branch = (what: string) => async (lane: RunContext) => (await lane.step(write, { what, test: false })).ok;
  const branches = await run.all({ left: branch("left"), right: branch("right") });
  const raced = await run.race(attemptOnce, {}, [{ seed: 0 }, { seed: 1 }]);
  return { written: true, ...branches, winner: raced.ok ? raced.output.seed : null };
}

const write = defineProgram({
  name: "write",
  input: z.strictObject({ what: z.string(), test: z.boolean() }),
  output: z.strictObject({ before: z.int(), token: z.string() }),
  async attempt(context, { what, test }) {
    const before = (await context.files.list()).length;
    const token = await context.once("token", async () => `token for ${what}`);
    const earlier = await context.role("coder").recall(what);
    await work(context, [`Write ${what}.`, context.hint ?? "", ...earlier.map(({ text }) => text)].join(" "));
    const fault = test ? testFault(await context.test()) : null;
    return fault ? context.fail(fault) : context.done({ before, token });
  },
  async diagnose(context, fault) {
    const answer = await context.role("reviewer").ask({ turns: [say(fault.message)] });
    return textOf(answer.parts);
  },
});

const attemptOnce = defineProgram({
  name: "once",
  input: z.strictObject({}),
  output: z.strictObject({ seed: z.int() }),
  async attempt(context) {
    const answer = await context.role("coder").ask({ turns: [say(`Try with seed ${context.seed}.`)] });
    await context.role("coder").use(answer.parts.filter((part) => part.type === "tool"));
    const won = (await context.files.list()).includes("winner.txt");
    if (won) return context.done({ seed: context.seed });
    return context.fail(faultOf({ code: "LOST", message: "no winner" }));
  },
});

async function work(context: StepContext, prompt: string): Promise<void> {
  const coder = context.role("coder");
  const turns: Turn[] = [say(prompt)];
  for (;;) {
    const { parts } = await coder.ask({ turns });
    const calls = parts.filter((part) => part.type === "tool");
    if (calls.length === 0) return;
    turns.push({ role: "assistant", parts }, await coder.use(calls));
  }
}

function say(text: string): Turn {
  return { role: "user", parts: [{ type: "text", text }] };
}
function textOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}

const readTool: Tool<{ path: string }> = {
  name: "read",
  description: "Reads a file.",
  input: z.strictObject({ path: z.string() }),
  effect: "none",
  idempotent: true,
  call: async ({ path }, { workspace }) => ({ ok: true, output: Buffer.from(await workspace.read(path)).toString() }),
};

/** Not idempotent on purpose: one call too many shows in the file. */
const appendTool: Tool<{ path: string; text: string }> = {
  name: "append",
  description: "Appends text to a file.",
  input: z.strictObject({ path: z.string(), text: z.string() }),
  effect: "workspace",
  idempotent: false,
  async call({ path, text }, { workspace }) {
    const there = (await workspace.list(".", { recursive: true })).some((entry) => entry.path === path);
    const old = there ? Buffer.from(await workspace.read(path)).toString() : "";
    await workspace.write(path, old + text);
    return { ok: true, output: `${text.length} characters`, touched: [path] };
  },
};

async function checksOf(sandbox: Sandbox, suite: FrozenSuite): Promise<Check[]> {
  const texts = await Promise.all(suite.entries.map((path) => sandbox.snapshots.read(suite.snapshot, path)));
  return texts.flatMap((text) => JSON.parse(Buffer.from(text).toString()) as Check[]);
}

function checkRunner(sandbox: Sandbox): TestRunner {
  return {
    async run(workspace, suites) {
      const tests: TestReport["tests"] = [];
      for (const { id, path, text } of (await Promise.all(suites.map((suite) => checksOf(sandbox, suite)))).flat()) {
        const content = await workspace.read(path).then(
          (data) => Buffer.from(data).toString(),
          () => "",
        );
        const passed = content.includes(text);
        tests.push({
          id,
          file: path,
          status: passed ? "passed" : "failed",
          message: passed ? null : `${path} does not include ${text}`,
          errorType: passed ? null : "CheckFailed",
          location: passed ? null : `${path}:1`,
        });
      }
      return { report: { tests, fault: null }, durations: {} };
    },
  };
}

function checkOracle(sandbox: Sandbox): Oracle {
  async function freeze(id: string, author: string, files: Task["testFiles"] & object): Promise<FrozenSuite> {
    return {
      id,
      author,
      runner: "checks",
      snapshot: await sandbox.snapshots.put({ files }),
      entries: Object.keys(files),
      tests: [],
    };
  }
  return {
    specificationVersion: "v1",
    validate(task) {
      if (!task.testFiles) throw new InvalidInputError("testFiles", "the check oracle needs checks");
    },
    prepare: async ({ task }) => [await freeze("given", "task", task.testFiles ?? {})],
    admit: async ({ id, author, files }) => ({ ok: true, output: await freeze(id, author, files) }),
    async verify({ final, suites }, { signal }) {
      await using workspace = await sandbox.open({ snapshot: final, lane: "oracle" }, { signal });
      const { report } = await checkRunner(sandbox).run(workspace, suites, { signal });
      const failed = report.tests.filter(({ status }) => status !== "passed");
      const passed = failed.length === 0 && report.tests.length > 0;
      return {
        passed,
        outcome: passed ? "verified" : "failed",
        oracle: "given",
        signals: { testsPassed: report.tests.length - failed.length, testsFailed: failed.length },
        reasons: failed.map(({ message }) => message ?? "failed"),
        tampering: [],
        evidence: {},
      };
    },
  };
}
