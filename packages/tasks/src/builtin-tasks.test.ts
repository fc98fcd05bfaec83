import type { Files, Task } from "@swarm/core";
import { describe, expect, test } from "vitest";
import { runTests, type TestRecord } from "../test/run-tests.ts";
import { builtinTasks, FAILURE_MODES, type LoadedTask, loadTask } from "./index.ts";

/** How the wrong delivery of each task fails: a test that fails, and what the runner says of it. */
const FAILS: Record<string, { mode: string; test: string; says: RegExp }> = {
  "duration-format": {
    mode: "missing-symbol",
    test: "tests/test_durations.py",
    says: /ImportError: cannot import name 'parse_duration' from 'durations'/,
  },
  "page-window": {
    mode: "off-by-one",
    test: "tests/page-window.test.mjs > pageWindow > has no empty page after a full one",
    says: /AssertionError[\s\S]*\+ {3}pages: 3[\s\S]*- {3}pages: 2/,
  },
  "shopping-cart": {
    mode: "shared-state",
    test: "tests/test_cart.py::test_two_carts_have_nothing_in_common",
    says: /AssertionError: what was added to one cart is in the other/,
  },
  "binary-search-tree": {
    mode: "wrong-value",
    test: "tests/test_binary_search_tree.py::test_ignores_duplicates",
    says: /assert \[2, 2, 4, 4, 4, 6\] == \[2, 4, 6\]/,
  },
  "linked-list": {
    mode: "exception",
    test: "tests/linked-list.test.mjs > delete > takes the head out",
    says: /^TypeError: Cannot read properties of null/,
  },
  "word-wrap": {
    mode: "infinite-loop",
    test: "tests/test_word_wrap.py::test_cuts_a_word_that_is_longer_than_a_line",
    says: /^$/, // it began and never ended
  },
  "bisect-commits": {
    mode: "performance",
    test: "tests/first-bad.test.mjs > firstBad > makes few checks in a long history",
    says: /AssertionError.*618 checks of 1000 commits, at most 10 are allowed/,
  },
  "csv-to-json": {
    mode: "exception",
    test: "tests/test_csv_to_json.py::test_quotes_protect_line_ends",
    says: /IndexError: list index out of range/,
  },
  "split-bill": {
    mode: "floating-point",
    test: "tests/split-bill.test.mjs > splitBill > loses no cent",
    says: /AssertionError[\s\S]*- {3}'6\.67',[\s\S]*\+ {3}'6\.66'/,
  },
  "truncate-text": {
    mode: "unicode",
    test: "tests/truncate.test.mjs > truncate > does not cut an emoji in half",
    says: /AssertionError[\s\S]*\+ 'ab\\ud83d…'/i,
  },
  "http-api": {
    mode: "wrong-value",
    test: "tests/http-api.test.mjs > the service > answers 400 to a body that is not JSON",
    says: /AssertionError[\s\S]*500 !== 400/,
  },
  "rate-limiter": {
    mode: "race",
    test: "tests/test_rate_limiter.py::test_two_threads_do_not_share_one_place",
    says: /AssertionError: 2 requests at the same moment were allowed, the limit is 1/,
  },
  "single-flight": {
    mode: "race",
    test: "tests/single-flight.test.mjs > singleFlight > loads once for callers that ask at the same time",
    says: /AssertionError.*3 loads of one key are in flight/,
  },
  "merge-sorted": {
    mode: "performance",
    test: "tests/test_merge_sorted.py::test_compares_no_more_than_it_may[128]",
    says: /AssertionError: \d+ comparisons for 4096 items of 128 sources, at most 28799 are allowed/,
  },
};

const entries = await builtinTasks();

test("there are tasks in both languages, for every failure mode, the easiest first", () => {
  expect(entries.map(({ id }) => id).sort()).toEqual(Object.keys(FAILS).sort());
  expect(new Set(entries.map(({ failureMode }) => failureMode))).toEqual(new Set(FAILURE_MODES));
  const python = entries.filter(({ language }) => language === "python").length;
  const javascript = entries.filter(({ language }) => language === "javascript").length;
  expect([python, javascript]).toEqual([7, 7]);
  const order = entries.map(({ difficulty, id }) => `${difficulty} ${id}`);
  expect(order).toEqual(order.toSorted());
  expect(new Set(entries.map(({ difficulty }) => difficulty))).toEqual(new Set([1, 2, 3, 4, 5]));
});

describe.for(entries.map(({ id }) => id))("%s", { concurrent: true }, (id) => {
  test("its starter fails the visible and the hidden tests", async () => {
    const { task } = await loadTask(id);
    const { records } = await run(task, {}, Object.assign({}, task.testFiles, task.hiddenTestFiles));
    for (const files of [task.testFiles, task.hiddenTestFiles]) {
      expect(records.some(({ test, event }) => event === "failed" && isIn(files, test))).toBe(true);
    }
  });

  test("its wrong delivery fails in its own way", async () => {
    const { task, mock, failureMode } = await loadTask(id);
    const { mode, test, says } = FAILS[id]!;
    expect(failureMode).toBe(mode);
    const endless = mode === "infinite-loop";
    const { records, timedOut } = await run(task, mock!.wrong.files, task.testFiles!, endless ? 10_000 : 60_000);
    expect(timedOut).toBe(endless);
    const last = records.filter((record) => record.test === test).at(-1);
    expect(last).toMatchObject({
      event: endless ? "started" : "failed",
      text: expect.stringMatching(says),
    });
  });

  test("its right delivery passes exactly the tests that it names, visible and hidden", async () => {
    const { task, mock } = await loadTask(id);
    const tests = Object.assign({}, task.testFiles, task.hiddenTestFiles);
    const { records } = await run(task, mock!.right.files, tests);
    const ended = records.filter(({ event }) => event !== "started");
    expect(ended.filter(({ event }) => event !== "passed")).toEqual([]);
    const passed = ended.map((record) => record.test);
    expect(passed.filter((name) => isIn(task.testFiles, name))).toEqual(task.oracle?.["tests"]);
    expect(passed.filter((name) => isIn(task.hiddenTestFiles, name))).toEqual(task.oracle?.["hiddenTests"]);
    expect(new Set(passed).size).toBe(passed.length);
  });

  test("its deliveries write files of the starter, and its hidden tests lie beside the visible ones", async () => {
    const { id: ownId, task, mock } = await loadTask(id);
    const starter = starterOf({ task });
    expect(ownId).toBe(id);
    for (const { files } of [mock!.wrong, mock!.right]) {
      expect(Object.keys(files)).not.toEqual([]);
      expect(Object.keys(starter)).toEqual(expect.arrayContaining(Object.keys(files)));
    }
    for (const path of Object.keys(task.hiddenTestFiles!)) expect(task.testFiles).not.toHaveProperty([path]);
    expect(mock!.wrong.files).not.toEqual(mock!.right.files);
  });
});

function run(
  task: Task,
  delivered: Files,
  tests: Files,
  timeoutMs = 60_000,
): Promise<{ records: TestRecord[]; timedOut: boolean }> {
  return runTests(task.oracle?.["runner"], [starterOf({ task }), delivered, tests], timeoutMs);
}

function starterOf({ task }: Pick<LoadedTask, "task">): Files {
  if (!("files" in task.source)) throw new Error("a built-in task brings its starter files");
  return task.source.files;
}

/** Whether a test id belongs to one of these files; ids begin with the file's path. */
function isIn(files: Files | undefined, test: string): boolean {
  return Object.keys(files ?? {}).some((path) => test.startsWith(path) && /^($|::| > )/.test(test.slice(path.length)));
}
