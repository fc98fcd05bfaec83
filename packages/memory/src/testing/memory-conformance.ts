import { strict as assert } from "node:assert";
import { InvalidInputError, type Recollection } from "@swarm/core";
import type { MemoryStore } from "../memory-store.ts";
import { type RunRecord, recordText } from "../run-record.ts";

/** A case of the suite: run it in whatever test framework there is. It rejects where the store breaks its contract. */
export type MemoryConformanceCase = { name: string; run(): Promise<void> };

/** What stores keep their runs in: a file, a server's collection. `open` gives one more store on the same. */
export type MemoryBacking = { open(options: { secrets: readonly string[] }): MemoryStore };

const SECRET = "a-secret-of-the-suite";

const bst: RunRecord = {
  runId: "run-bst",
  task: "Implement a binary search tree with insert, delete and an ordered traversal.",
  outcome: "verified",
  plan: ["Write the tree", "Delete nodes with two children"],
  files: ["bst.py"],
  functions: { "bst.py": ["Tree", "insert", "delete", "traverse"] },
  summary: "A node with two children is replaced by its successor.",
};
const csv: RunRecord = {
  runId: "run-csv",
  task: "Convert CSV files to JSON on the command line, quoted fields included.",
  outcome: "failed",
  plan: ["Parse quoted fields"],
  files: ["convert.mjs"],
  functions: { "convert.mjs": ["parseLine"] },
  summary: "Quotes within quotes were not understood.",
};
const CSV_AGAIN = "Convert a CSV file with quoted fields to JSON.";

/** Texts that mean something in query languages, or are no text at all. */
const ODD = [
  "",
  " ",
  '"',
  '"unclosed tree',
  "tree AND",
  "NOT tree",
  "tree OR OR csv",
  "NEAR(tree, 2)",
  "tree*",
  "^tree",
  "text : tree",
  "-tree + csv",
  "(((",
  "'; DROP TABLE runs; --",
  "%_\\",
  "tree\0csv",
  "🌳🌲",
  "木",
  "\ud800 lone",
  "é e\u0301",
  "tree ".repeat(5_000),
  Array.from({ length: 3_000 }, (_, index) => `word${index}`).join(" "),
];

/** What every store must do. `fresh` gives a backing that holds nothing. */
export function memoryConformance(fresh: () => Promise<MemoryBacking>): MemoryConformanceCase[] {
  const aCase = (name: string, run: (store: MemoryStore, backing: MemoryBacking) => Promise<void>) => ({
    name,
    async run() {
      const backing = await fresh();
      const store = backing.open({ secrets: [SECRET] });
      try {
        await run(store, backing);
      } finally {
        await store.close();
      }
    },
  });

  return [
    aCase("has nothing at first", async (store) => {
      assert.deepEqual(await recall(store, bst.task), []);
    }),
    aCase("gives a run back in words, and says which it was", async (store) => {
      await store.remember(bst);
      const [found] = await recall(store, bst.task);
      assert.equal(found?.id, bst.runId);
      assert.equal(found?.text, recordText(bst));
    }),
    aCase("gives the nearest run first, and no more than was asked for", async (store) => {
      for (const record of [bst, csv]) await store.remember(record);
      for (let nth = 0; nth < 4; nth++) await store.remember({ ...bst, runId: `other-${nth}` });
      assert.equal((await recall(store, CSV_AGAIN, 1))[0]?.id, csv.runId);
      assert.equal((await recall(store, bst.task, 2)).length, 2);
    }),
    aCase("keeps one record of a run: the last", async (store) => {
      await store.remember(bst);
      await store.remember({ ...bst, outcome: "failed", summary: "It came out otherwise." });
      const found = await recall(store, bst.task);
      assert.equal(found.length, 1);
      assert.match(found[0]?.text ?? "", /Outcome: failed[\s\S]*came out otherwise/);
    }),
    aCase("takes any text as a question", async (store) => {
      await store.remember(bst);
      for (const text of ODD) assert.ok(Array.isArray(await recall(store, text)), JSON.stringify(text));
    }),
    aCase("keeps any text as it is", async (store) => {
      for (const [nth, text] of ODD.entries()) {
        const record = { ...bst, runId: `odd-${nth}`, summary: `${text.replaceAll("\0", "").toWellFormed()}.` };
        await store.remember(record);
        const found = (await recall(store, recordText(record), ODD.length)).find(({ id }) => id === record.runId);
        assert.equal(found?.text, recordText(record), JSON.stringify(text));
      }
    }),
    aCase("shows another store what one has kept", async (store, backing) => {
      const other = backing.open({ secrets: [] });
      try {
        assert.deepEqual(await recall(other, bst.task), []);
        await store.remember(bst);
        assert.equal((await recall(other, bst.task))[0]?.id, bst.runId);
        await other.clear();
        assert.deepEqual(await recall(store, bst.task), []);
      } finally {
        await other.close();
      }
    }),
    aCase("forgets all when it is cleared, and goes on", async (store) => {
      await store.clear();
      for (const record of [bst, csv]) await store.remember(record);
      await store.clear();
      assert.deepEqual(await recall(store, bst.task), []);
      await store.remember(csv);
      assert.equal((await recall(store, CSV_AGAIN))[0]?.id, csv.runId);
    }),
    aCase("keeps no secret, nor what is shaped like a key", async (store) => {
      const key = `sk-${"a1".repeat(20)}`;
      const functions = { [`${SECRET}.py`]: [SECRET] };
      await store.remember({ ...bst, task: `${bst.task} Password: ${SECRET}. Key: ${key}`, functions });
      const [found] = await recall(store, bst.task);
      assert.ok(found);
      assert.ok(!JSON.stringify(found).includes(SECRET) && !JSON.stringify(found).includes(key));
    }),
    aCase("refuses what is no record, and keeps nothing of it", async (store) => {
      const wrong = { ...bst, outcome: "fine" } as unknown as RunRecord;
      await assert.rejects(store.remember(wrong), InvalidInputError);
      assert.deepEqual(await recall(store, bst.task), []);
    }),
    aCase("takes part in an abort", async (store) => {
      const signal = AbortSignal.abort(new Error("enough"));
      await assert.rejects(store.recall("tree", { limit: 3, signal }), /enough/);
      await assert.rejects(store.remember(bst, { signal }), /enough/);
      assert.deepEqual(await recall(store, bst.task), []);
    }),
    aCase("takes many at once", async (store) => {
      const records = Array.from({ length: 20 }, (_, nth) => ({ ...bst, runId: `run-${nth}` }));
      await Promise.all(records.map((record) => store.remember(record)));
      await Promise.all(records.map(() => recall(store, bst.task)));
      assert.equal((await recall(store, bst.task, 50)).length, 20);
    }),
    aCase("may be closed twice, and used again", async (store) => {
      await store.remember(bst);
      await store.close();
      await store.close();
      assert.equal((await recall(store, bst.task)).length, 1);
    }),
  ];
}

function recall(store: MemoryStore, question: string, limit = 3): Promise<Recollection[]> {
  return store.recall(question, { limit, signal: new AbortController().signal });
}
