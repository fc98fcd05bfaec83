import type { Files } from "@swarm/core";
import { describe, expect, test } from "vitest";
import { runTests } from "../test/run-tests.ts";
import { builtinDemos, loadTask } from "./index.ts";

/** Bugs to plant in the right delivery of each demo: what they are, and the text that makes them. */
const BUGS: Record<string, Record<string, [path: string, from: string, to: string]>> = {
  "demo-api": {
    "gives a number twice": ["notes_api.py", "next(self._ids)", "len(self._notes) + 1"],
    "takes a blank text": ["notes_api.py", ' or text.strip() == ""', ""],
    "calls its answers text": ["notes_server.py", "application/json", "text/plain"],
  },
  "demo-linked-list": {
    "deletes every equal value": [
      "linked_list.py",
      "                return True\n            node",
      "            node",
    ],
    "loses a value in reverse": [
      "linked_list.py",
      "self._before.next = turned",
      "self._before.next = turned and turned.next",
    ],
    "compares by identity": ["linked_list.py", "any(other == value", "any(other is value"],
  },
  "demo-tree": {
    "counts what it did not insert": ["binary_search_tree.py", "        if node:\n            return False\n", ""],
    "loses a subtree": ["binary_search_tree.py", "child = node.left or node.right", "child = node.left"],
    "forgets to count down": ["binary_search_tree.py", "self._size -= 1", "pass"],
  },
  "demo-rate-limiter": {
    "locks too late": [
      "rate_limiter.py",
      "        with self._lock:  # reading the time, counting and taking have to be one step\n            now = self._clock()",
      "        now, tokens = self._clock(), self._tokens\n        with self._lock:\n            self._tokens = tokens",
    ],
    "drops parts of a token": ["rate_limiter.py", "self._tokens + (now", "int(self._tokens) + (now"],
    "takes from who is refused": [
      "rate_limiter.py",
      "                return False",
      "                self._tokens = 0\n                return False",
    ],
  },
  "demo-text-kit": {
    "shifts letters of other alphabets": ["textkit/caesar.py", "letter.isascii() and letter", "letter"],
    "refuses the last number": ["textkit/roman.py", "<= 3999", "< 3999"],
    "makes every y an ies": ["textkit/plural.py", ' and word[-2:-1] not in tuple("aeiou")', ""],
  },
};

const demos = await builtinDemos();

test("there are five demos, each with a story that never ends well", () => {
  expect(demos.flatMap(({ id, story }) => (story === null ? [id] : []))).toEqual(Object.keys(BUGS).sort());
  expect(demos.flatMap(({ of, story }) => (story === "never" ? [of] : []))).toEqual(Object.keys(BUGS).sort());
  for (const { shows, title } of demos) expect([shows, title]).not.toContain("");
});

test("a story is its demo with another script", async () => {
  const [plain, never] = await Promise.all([loadTask("demo-tree"), loadTask("demo-tree.never")]);
  const { id, ...rest } = never.task;
  expect([id, { id: "demo-tree", ...rest }]).toEqual(["demo-tree.never", plain.task]);
  expect(never.mock).toEqual({ ...plain.mock, story: "never" });
  await expect(loadTask("demo-tree.nevr")).rejects.toThrow(
    /no built-in task "demo-tree\.nevr"; did you mean demo-tree\.never\? \(`swarm tasks` lists all\)/,
  );
  const few = /^task: there is no built-in task "x", but [^,]+, [^,]+, [^,]+ and \d+ more \(`swarm tasks` lists all\)/;
  await expect(loadTask("x")).rejects.toThrow(few);
});

describe.for(Object.keys(BUGS))("%s", { concurrent: true }, (id) => {
  test("asks in words for what is not there yet, and shows no test", async () => {
    const { task } = await loadTask(id);
    expect(task).toMatchObject({ source: { files: {} }, prompt: expect.stringMatching(/`\w+\.(py|slug)`/) });
    expect(task.testFiles).toBeUndefined();
  });

  test("its check passes exactly the tests that it names on the right delivery, and none on nothing", async () => {
    const { task, mock } = await loadTask(id);
    const right = await ended(mock!.right.files, mock!.suite!.files, task.hiddenTestFiles!);
    expect(right.filter(({ event }) => event !== "passed")).toEqual([]);
    const names = right.map((record) => record.test);
    expect(names.filter((name) => isIn(task.hiddenTestFiles!, name))).toEqual(task.oracle?.["hiddenTests"]);
    const empty = await ended({}, mock!.suite!.files, task.hiddenTestFiles!);
    expect(empty.filter(({ event }) => event === "passed")).toEqual([]);
  });

  test("the wrong delivery fails the suite of the team and the check, and the suites fit the parts", async () => {
    const { task, mock } = await loadTask(id);
    const { wrong, right, suite, parts = [] } = mock!;
    const failed = await failedIn(wrong.files, suite!.files, task.hiddenTestFiles!);
    for (const tests of [suite!.files, task.hiddenTestFiles!]) {
      expect(failed.filter((record) => isIn(tests, record.test))).not.toEqual([]);
    }
    if (parts.length === 0) return;
    expect(parts.flatMap(({ files }) => files).sort()).toEqual(Object.keys(right.files).sort());
    expect(parts.flatMap(({ tests }) => tests).sort()).toEqual(Object.keys(suite!.files).sort());
  });

  test.for(Object.entries(BUGS[id]!))("its check finds a planted bug: %s", async ([, [path, from, to]]) => {
    const { task, mock } = await loadTask(id);
    const code = mock!.right.files[path]!;
    expect(code.split(from)).toHaveLength(2);
    const planted = { ...mock!.right.files, [path]: code.replace(from, to) };
    const failed = await failedIn(planted, mock!.suite!.files, task.hiddenTestFiles!);
    expect(failed.filter((record) => isIn(task.hiddenTestFiles!, record.test))).not.toEqual([]);
  });
});

test("the check of the linked list wants tests that call all four methods", async () => {
  const { task, mock } = await loadTask("demo-linked-list");
  const [path, text] = Object.entries(mock!.suite!.files)[0]!;
  const lazy = { [path]: text.replace(/def test_reverse[\s\S]*$/, "") };
  expect(await failedIn(mock!.right.files, lazy, task.hiddenTestFiles!)).toEqual([
    expect.objectContaining({
      test: expect.stringContaining("call_all_four_methods"),
      text: expect.stringContaining("'reverse'"),
    }),
  ]);
});

async function ended(...layers: Files[]) {
  const { records } = await runTests("pytest", layers, 30_000);
  return records.filter(({ event }) => event !== "started");
}

async function failedIn(...layers: Files[]) {
  return (await ended(...layers)).filter(({ event }) => event === "failed");
}

/** Ids begin with the file's path. */
function isIn(files: Files, test: string): boolean {
  return Object.keys(files).some((path) => test.startsWith(path));
}
