import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { builtinDemos, builtinTasks, loadTask, mockScript } from "@swarm/tasks";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runTests } from "./run-tests.ts";

const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "swarm-readme-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("the table lists the built-in tasks as they are", async () => {
  const expected = (await builtinTasks()).map(
    ({ id, language, difficulty, failureMode }) => `| \`${id}\` | ${language} | ${difficulty} | ${failureMode} |`,
  );
  expect(rowsIn("Built-in tasks")).toEqual(expected);
});

test("the table lists the demos as they are", async () => {
  const demos = Map.groupBy(await builtinDemos(), ({ of }) => of);
  const expected = [...demos].map(([id, [plain, ...stories]]) => {
    return `| \`${id}\` | ${plain?.title} | ${stories.map(({ story }) => story).join(", ")} |`;
  });
  expect(rowsIn("Demos")).toEqual(expected);
});

function rowsIn(heading: string): string[] {
  const section = readme.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  const lines = section.split("\n").filter((line) => line.startsWith("| `"));
  return lines.map((line) => line.replaceAll(/ +/g, " "));
}

test("the example of a task file is loaded, and its tests decide as it says", async () => {
  const example = readme.match(/```json\n(.*?)```/s)?.[1] ?? "";
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  };
  const imports = "import pytest\n\nfrom greeting import greet\n\n\n";
  const refuses = "def test_refuses_nobody():\n    with pytest.raises(ValueError):\n        greet('')\n";
  await write("greeting.json", example);
  await write("tests/test_greeting.py", `${imports}def test_greets():\n    assert greet("Ada") == "Hello, Ada!"\n`);
  await write("hidden/test_greeting_hidden.py", imports + refuses);
  await write(
    "right/greeting.py",
    'def greet(name):\n    if not name:\n        raise ValueError("nobody to greet")\n    return f"Hello, {name}!"\n',
  );

  const { task, mock } = await loadTask(join(folder, "greeting.json"));
  const tests = { ...task.testFiles, ...task.hiddenTestFiles };
  const ids = [task.oracle?.["tests"], task.oracle?.["hiddenTests"]].flat();
  const ended = async (files: Record<string, string>) =>
    (await runTests("pytest", [files, tests], 20_000)).records.filter(({ event }) => event !== "started");
  expect((await ended(mock!.wrong.files)).map(({ event }) => event)).toEqual(["passed", "failed"]);
  const right = await ended(mock!.right.files);
  expect(right.map(({ test, event }) => [test, event])).toEqual(ids.map((id) => [id, "passed"]));
  expect(mockScript(mock!)).toHaveProperty(["run/plan|planner|0.0"]);
});
