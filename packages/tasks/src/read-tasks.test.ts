import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CallSite, LLMRequest } from "@swarm/core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { builtinTasks, mockModel, readTasks } from "./index.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "swarm-tasks-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const read = (name: string) => Array.fromAsync(readTasks(name, folder));
const ids = async (name: string) => (await read(name)).map(({ id }) => id);

const FILE = { id: "from-a-file", prompt: "p", starter: { "a.py": "" } };
const ROW = {
  id: "some-set/1",
  prompt: "Add.",
  starterFiles: { "add.py": "def add(a, b): return a\n", "other.py": "" },
  testFiles: { "test_add.py": "from add import add\ndef test(): assert add(1, 2) == 3\n" },
  solutionFiles: { "add.py": "def add(a, b): return a + b\n" },
  runner: "pytest",
  language: "python",
  licence: "MIT",
  meta: {},
};

test("all and globs are built-in tasks", async () => {
  expect(await ids("all")).toEqual((await builtinTasks()).map(({ id }) => id));
  expect(await ids("page-window")).toEqual(["page-window"]);
  expect(await ids("{csv,word}-*")).toEqual(["word-wrap", "csv-to-json"]);
});

test("a glob finds demos with their other stories too, and all does not", async () => {
  expect(await ids("*-tree*")).toEqual(["binary-search-tree", "demo-tree", "demo-tree.never"]);
  expect((await ids("all")).filter((id) => id.startsWith("demo-"))).toEqual([]);
});

test("a path is a task file, a folder of them, or a set", async () => {
  await mkdir(join(folder, "mine/nested"), { recursive: true });
  await writeFile(join(folder, "mine/b.json"), JSON.stringify(FILE));
  await writeFile(join(folder, "mine/nested/task.json"), JSON.stringify({ ...FILE, id: "nested" }));
  await writeFile(join(folder, "mine/README.md"), "no task");
  await writeFile(
    join(folder, "set.jsonl"),
    `${JSON.stringify(ROW)}\n${JSON.stringify({ ...ROW, id: "some-set/2" })}\n`,
  );
  expect(await ids("mine/b.json")).toEqual(["from-a-file"]);
  expect(await ids("mine")).toEqual(["from-a-file", "nested"]);
  expect(await read("set.jsonl")).toMatchObject([
    { id: "some-set.1", title: "some-set/1", language: "python", task: { prompt: "Add." } },
    { id: "some-set.2" },
  ]);
});

test.each([
  ["page-windw", /^tasks: "page-windw" is neither a built-in task nor a folder; did you mean page-window\?/],
  ["empty", /^tasks: .*empty has no task file/],
  ["none.jsonl", /^task set: .*none\.jsonl cannot be read/],
  ["none.json", /^task file: there is no .*none\.json/],
])("%s is refused", async (name, message) => {
  await mkdir(join(folder, "empty"));
  await expect(read(name)).rejects.toThrow(message);
});

test("a set's task is played by a model that delivers the starter as it is, and then the solution", async () => {
  const [loaded] = await setOf(ROW);
  expect(loaded?.mock).toMatchObject({
    wrong: { files: { "add.py": ROW.starterFiles["add.py"] } },
    right: { files: ROW.solutionFiles },
  });
});

test("a starter without any of the solution's files is looked at and left", async () => {
  const [loaded] = await setOf({ ...ROW, starterFiles: {} });
  const model = mockModel(loaded!);
  const request: LLMRequest = { model: "m", system: "", turns: [], tools: [], maxTokens: 100, cacheable: false };
  const ask = (nth: number) => {
    const at: CallSite = { stepId: "run/implement", role: "coder", attempt: 0, nth };
    return model.complete(request, { signal: new AbortController().signal, at });
  };
  expect((await ask(0)).parts).toMatchObject([{ type: "tool", tool: "list_dir" }]);
  expect(await ask(1)).toMatchObject({ stop: "end" });
});

test("a solution that is no text has no model that plays it", async () => {
  const [loaded] = await setOf({ ...ROW, solutionFiles: { "add.py": { base64: "AAAA" } } });
  expect(loaded?.mock).toBeNull();
});

async function setOf(row: object) {
  await writeFile(join(folder, "set.jsonl"), JSON.stringify(row));
  return read("set.jsonl");
}
