import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InvalidInputError } from "@swarm/core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readTaskSet, type SetTask } from "./index.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "swarm-set-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const ROW = {
  id: "some-set/1",
  prompt: "Add.",
  entryFile: "add.py",
  starterFiles: { "add.py": "" },
  testFiles: { "test_add.py": "from add import add\ndef test(): assert add(1, 2) == 3\n" },
  solutionFiles: { "add.py": "def add(a, b): return a + b\n" },
  runner: "pytest",
  language: "python",
  licence: "MIT",
  meta: { source: "somewhere" },
};

async function setOf(...lines: string[]): Promise<SetTask[]> {
  const path = join(folder, "set.jsonl");
  await writeFile(path, lines.join("\n"));
  return await Array.fromAsync(readTaskSet(path));
}

test("each line is a task, with its solution; empty lines are none", async () => {
  const meta = { ...ROW.meta, timeoutSeconds: 2, starterPasses: true };
  const [first, second, ...more] = await setOf(
    JSON.stringify(ROW),
    "",
    JSON.stringify({ ...ROW, id: "b/2", meta }),
    "",
  );
  expect(more).toEqual([]);
  expect(first).toEqual({
    id: "some-set/1",
    task: {
      id: "some-set.1",
      prompt: "Add.",
      source: { files: ROW.starterFiles },
      testFiles: ROW.testFiles,
      oracle: { runner: "pytest" },
      licence: "MIT",
    },
    solution: ROW.solutionFiles,
    starterPasses: false,
    language: "python",
    licence: "MIT",
    meta: ROW.meta,
  });
  expect(second).toMatchObject({
    task: { id: "b.2", oracle: { runner: "pytest", timeoutMs: 2000 } },
    starterPasses: true,
  });
});

test.each([
  ["no JSON", "{", /^task set: set\.jsonl, line 2 is not JSON, line 1, column 2/],
  ["a field that is missing", { ...ROW, prompt: undefined }, /^prompt: is missing.*\(in set\.jsonl, line 2\)$/],
  ["a path that leaves", { ...ROW, testFiles: { "../x.py": "" } }, /^testFiles\["\.\.\/x\.py"\]: .*line 2\)$/],
  ["a limit that is none", { ...ROW, meta: { timeoutSeconds: -1 } }, /^meta\.timeoutSeconds: .*line 2\)$/],
])("%s is refused, with its line", async (_, row, message) => {
  const refused = setOf(JSON.stringify(ROW), typeof row === "string" ? row : JSON.stringify(row));
  await expect(refused).rejects.toThrow(InvalidInputError);
  await expect(refused).rejects.toThrow(message);
});

test("characters that some take for the end of a line end none", async () => {
  const prompt = "One.\u2028Two.\u2029Three.";
  const tasks = await setOf(JSON.stringify({ ...ROW, prompt }), JSON.stringify(ROW));
  expect(tasks.map(({ task }) => task.prompt)).toEqual([prompt, ROW.prompt]);
});

test("a file that is not there is refused", async () => {
  const refused = Array.fromAsync(readTaskSet(join(folder, "none.jsonl")));
  await expect(refused).rejects.toThrow(/^task set: .*none\.jsonl cannot be read: ENOENT/);
});
