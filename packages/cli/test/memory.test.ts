import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { sqliteMemory } from "@swarm/memory";
import { loadTask } from "@swarm/tasks";
import { afterEach, expect, test } from "vitest";
import { cli, removeTempFolders, tempFolder } from "./cli.ts";
import { modelServer, type ServedAnswer } from "./model-server.ts";

afterEach(removeTempFolders);

const SECRET = "quiet words of no shape";
const ON_SERVER = Object.fromEntries(
  ["PLANNER", "CODER", "TESTER", "REVIEWER"].map((role) => [`${role}_MODEL`, "vllm:model"]),
);

/** A run of `page-window` whose model is right at once. What it says of its work holds a secret. */
async function run(cwd: string, { flags = [] as string[], env = {}, answers = rightAnswers } = {}) {
  const { mock } = await loadTask("page-window");
  const writes = Object.entries(mock!.right.files).map(([path, content]) => ({
    tool: "write_file",
    args: { path, content },
  }));
  await using server = await modelServer(answers(writes));
  const all = { VLLM_BASE_URL: server.url, VLLM_API_KEY: SECRET, RETRY_MAX: "0", ...ON_SERVER, ...env };
  const result = await cli(["run", "--task", "page-window", ...flags], { cwd, env: all });
  return { ...result, prompts: server.requests.map(({ body }) => JSON.stringify(body["messages"])) };
}

const plan = JSON.stringify({ steps: [{ title: "Count the pages", instructions: "Do it." }] });
const rightAnswers = (writes: ServedAnswer) => [plan, writes, `Counted with ${SECRET}.`];

const fileIn = (cwd: string) => join(cwd, ".swarm", "memory.db");
async function recalled(cwd: string): Promise<string[]> {
  const memory = sqliteMemory({ file: fileIn(cwd) });
  const found = await memory.recall("pages", { limit: 10, signal: new AbortController().signal });
  await memory.close();
  return found.map(({ text }) => text);
}
/** As if a run had ended in this folder. */
async function seed(cwd: string, runId = "earlier") {
  const memory = sqliteMemory({ file: fileIn(cwd) });
  const plan = ["Count the pages"];
  await memory.remember({ runId, task: "Pages", outcome: "verified", plan, files: [], functions: {}, summary: "" });
  await memory.close();
}
const logsIn = (cwd: string) => readdirSync(join(cwd, "runs")).filter((name) => name.endsWith(".jsonl"));

test("a run is told of earlier ones, is kept for later ones, and replays as it was", async () => {
  const cwd = tempFolder();
  const first = await run(cwd);
  expect(first.code).toBe(0);
  for (const prompt of first.prompts) expect(prompt).not.toContain("Earlier runs");
  const [text = ""] = await recalled(cwd);
  expect(text).toMatch(
    /^Task: .*\nOutcome: verified\nPlan: Count the pages\nFiles: .*\n(Functions: .*\n)?Summary: Counted/s,
  );
  expect(text).toContain("Counted with [redacted-secret].");
  expect(readFileSync(fileIn(cwd), "latin1")).not.toContain(SECRET);

  const [firstLog = ""] = logsIn(cwd);
  const second = await run(cwd);
  for (const prompt of second.prompts) expect(prompt.split("Plan: Count the pages")).toHaveLength(2);
  expect(second.stderr).toContain(`planner recalls ${firstLog.replace(".jsonl", "")}`);
  expect(await recalled(cwd)).toHaveLength(2);

  await cli(["run", "--reset-memory"], { cwd });
  const replayed = await cli(["replay", "latest"], { cwd });
  expect([replayed.code, replayed.stderr]).toEqual([0, expect.any(String)]);
  expect(existsSync(fileIn(cwd))).toBe(true);
});

test("is that of every team: self-healing is told too, and its run is kept", async () => {
  const cwd = tempFolder();
  await seed(cwd);
  const { code, prompts } = await run(cwd, {
    flags: ["--team", "self-healing", "--model", "vllm:model"],
    answers: (writes) => [JSON.stringify({ specification: "Pages." }), writes, "Built.", "It is there."],
  });
  expect(code).toBe(0);
  const told = prompts.map((prompt) => prompt.split("Plan: Count the pages").length - 1);
  expect(told).toEqual([1, 1, 1, 0]); // architect, developer, developer, reviewer
  expect(await recalled(cwd)).toHaveLength(2);
});

test("--reset-memory alone forgets, exits with 0, and takes nothing else", async () => {
  const cwd = tempFolder();
  await seed(cwd);
  for (const folder of ["app", "runs"]) {
    mkdirSync(join(cwd, folder));
    writeFileSync(join(cwd, folder, "mine.txt"), "");
  }
  const { code, stdout, stderr } = await cli(["run", "--reset-memory", "--workspace", "app"], { cwd });
  expect([code, stdout, stderr]).toEqual([0, "", "memory cleared: .swarm/memory.db\n"]);
  expect(await recalled(cwd)).toEqual([]);
  for (const folder of ["app", "runs"]) expect(readdirSync(join(cwd, folder))).toEqual(["mine.txt"]);
  const json = await cli(["run", "--reset-memory", "--json"], { cwd: tempFolder() });
  expect([json.code, JSON.parse(json.stdout), json.stderr]).toEqual([
    0,
    { memory: { cleared: true, where: ".swarm/memory.db" } },
    "",
  ]);
});

test("--reset-memory with a task forgets before the run", async () => {
  const cwd = tempFolder();
  await seed(cwd);
  const { code, prompts } = await run(cwd, { flags: ["--reset-memory"] });
  expect(code).toBe(0);
  for (const prompt of prompts) expect(prompt).not.toContain("Earlier runs");
  expect(await recalled(cwd)).toHaveLength(1);
});

test("a run that is refused forgets nothing", async () => {
  const cwd = tempFolder();
  await seed(cwd);
  const { code } = await run(cwd, { flags: ["--reset-memory", "--out", ".swarm"] });
  expect(code).toBe(2);
  expect(await recalled(cwd)).toHaveLength(1);
});

test("--mock starts empty, and leaves what there is as it is", async () => {
  const cwd = tempFolder();
  await seed(cwd);
  const before = readFileSync(fileIn(cwd));
  const { code, stderr } = await cli(["run", "--task", "page-window", "--mock"], { cwd });
  expect(code).toBe(0);
  expect(stderr).not.toContain("recalls");
  expect(readFileSync(fileIn(cwd))).toEqual(before);
});

test("a damaged memory is told once, with what to do, and the run passes without; cleared, it is moved aside", async () => {
  const cwd = tempFolder();
  mkdirSync(join(cwd, ".swarm"));
  writeFileSync(fileIn(cwd), "my diary ".repeat(1000));
  const { code, stderr } = await run(cwd);
  expect(code).toBe(0);
  expect(stderr.match(/(planner|coder) goes on without memory: .*memory\.db is damaged.*--reset-memory/g)).toHaveLength(
    2,
  );
  expect(stderr).toMatch(/^memory: the run is not kept in it \(.*is damaged/m);
  expect((await cli(["run", "--reset-memory"], { cwd })).code).toBe(0);
  const aside = readdirSync(join(cwd, ".swarm")).find((name) => name.startsWith("memory.db.damaged-"));
  expect(readFileSync(join(cwd, ".swarm", aside!), "utf8")).toContain("my diary");
});

test("with CHROMA_HOST the memory is a server; one that is down fails no run, and the structured log says so", async () => {
  const cwd = tempFolder();
  const env = { CHROMA_HOST: "127.0.0.1", CHROMA_PORT: "9" };
  const { code, stderr } = await run(cwd, { env, flags: ["--log", "json"] });
  expect(code).toBe(0);
  const records = stderr
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const recalls = records.filter(({ event }) => event === "memory_recall");
  expect(recalls).toHaveLength(3);
  expect(recalls[0]).toMatchObject({ level: "warn", role: "planner", runs: [], fault: "MEMORY_UNREACHABLE" });
  expect(recalls[0].error).toContain("http://127.0.0.1:9/api/v2");
  expect(records.filter(({ event }) => event === "memory_failed")).toMatchObject([{ level: "warn" }]);
  expect(existsSync(fileIn(cwd))).toBe(false);

  const reset = await cli(["run", "--reset-memory", "--json"], { cwd, env });
  expect([reset.code, JSON.parse(reset.stdout).error.code]).toEqual([2, "MEMORY_UNREACHABLE"]);
  const wrong = await cli(["run", "--reset-memory", "--json"], { cwd, env: { CHROMA_HOST: "a b" } });
  expect([wrong.code, JSON.parse(wrong.stdout).error.field]).toEqual([2, "CHROMA_HOST"]);
});

test("MEMORY_MAX_DISTANCE bounds how far the runs are that a Chroma server tells of", async () => {
  const found = { ids: [["near", "far"]], documents: [["A near run.", "A far run."]], distances: [[0.2, 0.6]] };
  const server = createServer((request, response) => {
    request.resume();
    response.end(JSON.stringify(request.url?.endsWith("/query") ? found : { id: "c" }));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  const chroma = { CHROMA_HOST: "127.0.0.1", CHROMA_PORT: String(port) };
  for (const [distance, told] of [
    ["0.5", false],
    ["0.65", true],
  ] as const) {
    const env = { ...chroma, MEMORY_MAX_DISTANCE: distance, CACHE_TTL_S: "0" };
    const { code, prompts } = await run(tempFolder(), { env });
    expect(code).toBe(0);
    for (const prompt of prompts)
      expect([prompt.includes("A near run."), prompt.includes("A far run.")]).toEqual([true, told]);
  }
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});

test("MEMORY_TOP_K bounds what is told, and MEMORY_WINDOW_TURNS is the team's", async () => {
  const cwd = tempFolder();
  for (const runId of ["one", "two"]) await seed(cwd, runId);
  const { prompts } = await run(cwd, { env: { MEMORY_TOP_K: "1", MEMORY_WINDOW_TURNS: "4" } });
  for (const prompt of prompts) expect(prompt.split("Plan: Count the pages")).toHaveLength(2);
  const [header = ""] = readFileSync(join(cwd, "runs", logsIn(cwd).at(-1)!), "utf8").split("\n");
  expect(JSON.parse(header).team.config).toMatchObject({ memory: { topK: 1 }, windowTurns: 4 });
});
