import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { JsonObject } from "@swarm/core";
import { loadTask } from "@swarm/tasks";
import { afterEach, describe, expect, test } from "vitest";
import { cli, removeTempFolders, tempFolder, writeTaskFile } from "./cli.ts";
import { type ModelServer, modelServer, type ServedAnswer } from "./model-server.ts";

let server: ModelServer | null = null;
afterEach(async () => {
  await server?.[Symbol.asyncDispose]();
  server = null;
  removeTempFolders();
});

const KEY = "quiet words of no shape";
const ROLES = ["PLANNER", "CODER", "TESTER", "REVIEWER"];

/** What a model that is right at once answers in a run of `page-window`. */
async function rightAnswers(title = "all of it"): Promise<ServedAnswer[]> {
  const { mock } = await loadTask("page-window");
  const writes = Object.entries(mock!.right.files).map(([path, content]) => {
    return { tool: "write_file", args: { path, content } };
  });
  return [JSON.stringify({ steps: [{ title, instructions: "Do it." }] }), writes, "Done."];
}

/** A task file of `page-window` in a folder of its own, with some fields changed. */
async function taskFileWith(changes: JsonObject): Promise<string> {
  const path = join(tempFolder(), "task.json");
  await writeTaskFile(path, () => changes);
  return path;
}

/** The text of every file below a folder, by its path there. */
function filesBelow(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(paths.map((path) => [relative(folder, path), readFileSync(path, "utf8")]));
}

/** A run of `page-window` with every role's model on a server of this test. */
async function runOn(answers: readonly ServedAnswer[], { flags = [] as string[], cwd = tempFolder(), env = {} } = {}) {
  server = await modelServer(answers);
  const models = Object.fromEntries(ROLES.map((role) => [`${role}_MODEL`, "vllm:weak"]));
  const task = flags.includes("--task") ? [] : ["--task", "page-window"];
  const result = await cli(["run", ...task, ...flags], {
    cwd,
    env: { VLLM_BASE_URL: server.url, ...models, ...env },
  });
  return { ...result, cwd, requests: server.requests };
}

function recordsIn(cwd: string): JsonObject[] {
  const [runId] = readdirSync(join(cwd, "runs")).filter((name) => !name.includes(".") && name !== "objects");
  return linesOf(readFileSync(join(cwd, "runs", runId!, "log.jsonl"), "utf8"));
}
const linesOf = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as JsonObject);

describe("settings in a run", () => {
  test("models, efforts, token limits, keys and waits reach the calls", async () => {
    const cwd = tempFolder();
    writeFileSync(join(cwd, "swarm.config.json"), JSON.stringify({ coderMaxTokens: 1234, retryBaseDelayS: 0 }));
    writeFileSync(join(cwd, ".env"), `VLLM_API_KEY="${KEY}"\nCODER_THINKING_LEVEL=high\n`);
    const env = { CODER_MODEL: "vllm:strong" };
    const { code, requests } = await runOn([503, ...(await rightAnswers())], { cwd, env });
    expect(code).toBe(0);
    expect(requests.map(({ body }) => [body["model"], body["max_tokens"], body["reasoning_effort"]])).toEqual([
      ["weak", 8192, undefined],
      ["weak", 8192, undefined],
      ["strong", 1234, "high"],
      ["strong", 1234, "high"],
    ]);
    expect(new Set(requests.map(({ authorization }) => authorization))).toEqual(new Set([`Bearer ${KEY}`]));
    const records = recordsIn(cwd);
    const of = (event: string) => records.filter((record) => record["event"] === event);
    expect(of("unpriced_model").map(({ model }) => model)).toEqual(["vllm:weak", "vllm:strong"]);
    expect(of("retry_attempt")).toMatchObject([{ role: "planner", attempt: 1 }]);
    expect(of("llm_call")).toMatchObject([{ attempts: 2, role: "planner" }, { role: "coder" }, { role: "coder" }]);
  });

  test("a flag goes before the environment", async () => {
    const { requests } = await runOn(await rightAnswers(), { flags: ["--model", "coder=vllm:mine"] });
    expect(requests.map(({ body }) => body["model"])).toEqual(["weak", "mine", "mine"]);
  });

  test("RETRY_MAX and BREAKER_FAILURE_THRESHOLD bound how often a failing provider is called", async () => {
    const once = await runOn([], { env: { RETRY_MAX: "0", BREAKER_FAILURE_THRESHOLD: "1" } });
    expect(once.code).toBe(1);
    expect(once.requests).toHaveLength(1);
    const events = recordsIn(once.cwd).map(({ event }) => event);
    expect(events).toContain("retry_exhausted");
    expect(recordsIn(once.cwd)).toContainEqual(expect.objectContaining({ event: "breaker_transition", to: "open" }));
    await server?.[Symbol.asyncDispose]();

    const env = { RETRY_MAX: "2", RETRY_BASE_DELAY_S: "0", BREAKER_FAILURE_THRESHOLD: "1" };
    expect((await runOn([], { env })).requests).toHaveLength(3);
  });

  test("the models behind the first are gone on with once its circuit is open", async () => {
    const [plan, writes, done] = await rightAnswers();
    const env = { RETRY_MAX: "0", BREAKER_FAILURE_THRESHOLD: "1", CODER_MODEL: "vllm:down,vllm:spare" };
    const { code, requests, cwd } = await runOn([plan!, 503, "Try again.", writes!, done!], { env });
    expect(code).toBe(0);
    expect(requests.map(({ body }) => body["model"])).toEqual(["weak", "down", "weak", "spare", "spare"]);
    const fallbacks = recordsIn(cwd).filter(({ event }) => event === "fallback");
    expect(fallbacks).toMatchObject([
      { role: "coder", to: "vllm:spare" },
      { role: "coder", to: "vllm:spare" },
    ]);
  });

  test("a provider that is down is the first reason that is told, and the state is one that no test saw", async () => {
    const { code, stderr, stdout } = await runOn([], { env: { RETRY_MAX: "0" }, flags: ["--json"] });
    expect([code, JSON.parse(stdout).outcome, JSON.parse(stdout).state.label]).toEqual([1, "infra-error", "untested"]);
    expect(stderr).toMatch(/\nNOT PASSED \(infra-error\).*\n {2}- .*busy/);
    expect(stderr.match(/^ {2}- .*busy/gm)).toHaveLength(1);
    expect(stderr).toMatch(/^files +swarm show \S+ --files <dir> \(the state as it was left: no test ran\)$/m);
  });

  test("CODER_MAX_ITERATIONS bounds the coder's calls", async () => {
    const { stderr } = await runOn(await rightAnswers(), { env: { CODER_MAX_ITERATIONS: "2" } });
    expect(stderr).toContain("coder [2/2]");
  });

  test("EXEC_TIMEOUT_SECONDS bounds a command that asks for no time of its own", async () => {
    const sleeps = [{ tool: "run", args: { argv: ["sleep", "60"] } }];
    const env = { EXEC_TIMEOUT_SECONDS: "1", RETRY_MAX: "0" };
    const { requests } = await runOn([sleeps], { env, flags: ["--team", "coder"] });
    expect(JSON.stringify(requests[1]?.body)).toContain("ended by its time limit of 1 s");
  });

  test("dollars are not limited where a price is not known, unless that is allowed", async () => {
    const refused = await runOn(await rightAnswers(), { flags: ["--max-usd", "1"] });
    expect([refused.code, refused.requests.length, readdirSync(refused.cwd)]).toEqual([2, 0, []]);
    expect(refused.stderr).toMatch(/^swarm: --max-usd: .* no price is known of vllm:weak; .*--allow-unpriced/);
    await server?.[Symbol.asyncDispose]();

    const allowed = await runOn(await rightAnswers(), { flags: ["--max-usd", "1", "--allow-unpriced"] });
    expect(allowed.code).toBe(0);
    const { stdout } = await cli(["cost", "latest"], { cwd: allowed.cwd });
    expect(stdout).toMatch(/^coder +2 +200 +40 +0 +0 +not known$/m);
    expect(stdout).toMatch(/^total +3 +300 +60 +0 +0 +not known$/m);
    expect(stdout).toContain("no price is known of vllm:weak");
  });

  test("a task's own limit of dollars is refused in the same way", async () => {
    const path = await taskFileWith({ limits: { usd: 1 } });
    const refused = await runOn([], { flags: ["--task", path] });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/^swarm: limits\.usd: .* no price is known of vllm:weak; .*--allow-unpriced/);
    await server?.[Symbol.asyncDispose]();

    const allowed = await runOn(await rightAnswers(), { flags: ["--task", path, "--allow-unpriced"] });
    expect(allowed.code).toBe(0);
  });

  test("a key is in nothing that is shown, nor in any file that a run leaves, though task and model say it", async () => {
    const title = `${"so long ".repeat(14)}${KEY}`; // cut in the middle of the key where it is shown
    const flags = ["--task", await taskFileWith({ prompt: `The key is ${KEY}.` }), "--json"];
    const answers = await rightAnswers(title);
    const { code, stdout, stderr, cwd } = await runOn(answers, { flags, env: { VLLM_API_KEY: KEY } });
    expect(code).toBe(0);
    const { report } = JSON.parse(stdout) as { report: JsonObject };
    expect(report).toMatchObject({ steps: [{ title: title.replace(KEY, "[redacted-secret]") }] });
    expect(stderr).toMatch(/so long \[red\w*…$/m);
    const written = filesBelow(cwd);
    expect(Object.keys(written).map((path) => path.split("/")[0])).toContain(".swarm"); // the cache keeps answers
    for (const [, text] of [["", stdout], ["", stderr], ...Object.entries(written)]) expect(text).not.toContain(KEY);
    expect(recordsIn(cwd).length).toBeGreaterThan(5);
  });
});

describe("a task with a file that holds a key", () => {
  test("is refused before anything is kept", async () => {
    const flags = ["--task", await taskFileWith({ starter: { ".env": `VLLM_API_KEY=${KEY}\n` } })];
    const { code, stderr, cwd, requests } = await runOn([], { flags, env: { VLLM_API_KEY: KEY } });
    expect([code, requests.length, filesBelow(cwd)]).toEqual([2, 0, {}]);
    expect(stderr).toMatch(/^swarm: task\.source\.files\["\.env"\]: holds a value that is named as a secret/);
    expect(stderr).not.toContain(KEY);
  });
});

describe("--log json", () => {
  test("shows what log.jsonl holds, from LOG_LEVEL on, and nothing else", async () => {
    const flags = ["--log", "json", "--json"];
    const { stderr, stdout, cwd } = await runOn(await rightAnswers(), { flags, env: { LOG_LEVEL: "warn" } });
    const all = recordsIn(cwd);
    const shown = linesOf(stderr);
    expect(shown).toEqual(all.filter(({ level }) => level === "warn" || level === "error"));
    expect(shown).toMatchObject([{ event: "unpriced_model" }]);
    expect(all.at(-1)).toMatchObject({ event: "run_end", runId: JSON.parse(stdout).runId, passed: true });
  });
});

describe("swarm run is refused, and leaves nothing behind,", () => {
  test.each([
    [{ CODER_MAX_ITERATIONS: "11" }, "CODER_MAX_ITERATIONS"],
    [{ CODER_MODEL: "antropic:x" }, "CODER_MODEL"],
    [{ CODER_MODEL: "openai:x" }, "OPENAI_API_KEY"],
    [{ CODER_MODEL: "ollama:x", OLLAMA_HOST: "127.0.0.1:1" }, "CODER_MODEL"],
  ])("for %j", async (setting, field) => {
    const cwd = tempFolder();
    const env = { ANTHROPIC_API_KEY: "some-key", ...setting };
    const { code, stdout } = await cli(["run", "--task", "page-window", "--json"], { cwd, env });
    expect([code, JSON.parse(stdout).error.field]).toEqual([2, field]);
    expect(readdirSync(cwd)).toEqual([]);
  });

  test("for a setting that is wrong, though --mock would not need it", async () => {
    const env = { RETRY_MAX: "4" };
    const { code, stderr } = await cli(["run", "--task", "page-window", "--mock"], { env });
    expect(code).toBe(2);
    expect(stderr).toBe("swarm: RETRY_MAX: has to be a whole number from 0 to 3, and is 4\n");
  });
});
