import { execFile } from "node:child_process";
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Embed, type MemoryStore, type RunRecord, sqliteMemory } from "@swarm/memory";
import { memoryConformance } from "@swarm/memory/testing";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { loadSqlite } from "./load-sqlite.ts";

let directory: string;
let count = 0;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "memory-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const opened: MemoryStore[] = [];
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});
const newFile = () => join(directory, `${count++}`, "memory.db");
function open(file: string, options: Partial<Parameters<typeof sqliteMemory>[0]> = {}): MemoryStore {
  const store = sqliteMemory({ file, ...options });
  opened.push(store);
  return store;
}

const { signal } = new AbortController();
const recall = (store: MemoryStore, question: string, limit = 3) => store.recall(question, { limit, signal });
const record = (runId: string, task: string): RunRecord => ({
  runId,
  task,
  outcome: "verified",
  plan: [],
  files: [],
  functions: {},
  summary: "",
});

describe("the contract of a memory", () => {
  const fresh = async () => {
    const file = newFile();
    return { open: (options: { secrets: readonly string[] }) => sqliteMemory({ file, ...options }) };
  };
  it.each(memoryConformance(fresh))("$name", ({ run }) => run());

  const byMeaning = async () => {
    const file = newFile();
    const { wordEmbedding: embed } = await import("../word-embedding.ts");
    return { open: (options: { secrets: readonly string[] }) => sqliteMemory({ file, embed, ...options }) };
  };
  it.each(memoryConformance(byMeaning))("with an embedding: $name", ({ run }) => run());
});

it("answers any question, whatever it was made of", async () => {
  const store = open(":memory:");
  await store.remember(record("a", "Tree AND (csv OR json) NOT near"));
  const piece = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom(
      "AND",
      "OR",
      "NOT",
      "NEAR(",
      ")",
      '"',
      "'",
      "*",
      "^",
      ":",
      "-",
      "+",
      "\0",
      "🌳",
      "tree",
      "{",
      "ﬀ",
      "İ",
    ),
  );
  const question = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(" "));
  await fc.assert(
    fc.asyncProperty(question, async (text) => {
      expect((await recall(store, text)).length).toBeLessThanOrEqual(1);
    }),
    { numRuns: 500 },
  );
});

it("finds words in other forms, and not by words that every text has", async () => {
  const store = open(":memory:");
  await store.remember(record("a", "Write a linked list with the usual methods."));
  expect(await recall(store, "lists that are linked")).toMatchObject([{ id: "a", distance: null }]);
  expect(await recall(store, "Write nothing of the kind")).toMatchObject([{ id: "a" }]);
  expect(await recall(store, "with the")).toEqual([]);
});

it("leaves out what is too far away, and what another embedding made", async () => {
  const file = newFile();
  const vectors: Record<string, number[]> = { east: [1, 0], north: [0, 1], "north-east": [3, 3] };
  const embed: Embed = async (texts) =>
    texts.map((text) => vectors[text.replace(/^Task: (.*)\n[\s\S]*$/, "$1")] ?? [1, 2, 3]);
  const store = open(file, { embed });
  for (const [id, task] of Object.entries({ e: "east", n: "north", ne: "north-east", x: "elsewhere" }))
    await store.remember(record(id, task));
  expect(await recall(store, "east")).toEqual([
    { id: "e", text: expect.any(String), distance: 0 },
    { id: "ne", text: expect.any(String), distance: expect.closeTo(1 - Math.SQRT1_2, 5) },
  ]);
  expect(await recall(open(file, { embed, maxDistance: 1 }), "east")).toHaveLength(3);
});

it("makes nothing before it is used, and nothing when an empty one is cleared", async () => {
  const file = newFile();
  const store = open(file);
  await store.clear();
  expect(existsSync(join(file, ".."))).toBe(false);
  await recall(store, "tree");
  expect(existsSync(file)).toBe(true);
});

describe("a file that cannot be used", () => {
  async function refusal(file: string) {
    return await recall(open(file), "tree").then(
      () => null,
      (error: { code: string; message: string; retryable: boolean }) => error,
    );
  }

  it("that is no database is named, with what to do, and is moved aside when it is cleared", async () => {
    const file = join(directory, `${count++}.db`);
    writeFileSync(file, "my holiday diary, ".repeat(500));
    const error = await refusal(file);
    expect(error).toMatchObject({ code: "MEMORY_DAMAGED", retryable: false });
    expect(error?.message).toContain(file);
    expect(error?.message).toContain("--reset-memory");

    const store = open(file);
    await store.clear();
    await store.remember(record("a", "tree"));
    expect(await recall(store, "tree")).toHaveLength(1);
    const [kept] = readdirSync(directory).filter((name) => name.startsWith(`${count - 1}.db.damaged-`));
    expect(readFileSync(join(directory, kept ?? ""), "utf8")).toContain("diary");
  });

  it("whose pages are broken is damaged, whether it is read or written", async () => {
    const file = newFile();
    const store = open(file);
    for (let nth = 0; nth < 200; nth++) await store.remember(record(`run-${nth}`, `tree number ${nth} `.repeat(20)));
    await store.close();
    const bytes = readFileSync(file);
    bytes.fill(0xa5, 4096); // all but the first page
    writeFileSync(file, bytes);
    expect(await refusal(file)).toMatchObject({ code: "MEMORY_DAMAGED" });
    await expect(open(file).remember(record("a", "tree"))).rejects.toMatchObject({ code: "MEMORY_DAMAGED" });
  });

  it("of another program is refused and left as it is, also when it is cleared", async () => {
    const file = join(directory, `${count++}.db`);
    const { DatabaseSync } = loadSqlite();
    const other = new DatabaseSync(file);
    other.exec("CREATE TABLE photos (name TEXT); INSERT INTO photos VALUES ('beach')");
    other.close();
    const before = readFileSync(file);
    expect(await refusal(file)).toMatchObject({ code: "MEMORY_FOREIGN" });
    await expect(open(file).clear()).rejects.toMatchObject({ code: "MEMORY_FOREIGN" });
    expect(readFileSync(file)).toEqual(before);
  });

  it("of a newer version is refused", async () => {
    const file = newFile();
    await open(file).remember(record("a", "tree"));
    const { DatabaseSync } = loadSqlite();
    const other = new DatabaseSync(file);
    other.exec("PRAGMA user_version = 2");
    other.close();
    expect(await refusal(file)).toMatchObject({ code: "MEMORY_SCHEMA", message: expect.stringContaining(file) });
  });

  it("that is a folder cannot be opened", async () => {
    const file = newFile();
    await open(join(file, "inner.db")).remember(record("a", "tree"));
    expect(await refusal(file)).toMatchObject({ code: "MEMORY_UNAVAILABLE" });
  });

  it("that is kept busy may be tried again", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    try {
      const file = newFile();
      await open(file).remember(record("a", "tree"));
      const { DatabaseSync } = loadSqlite();
      using busy = new DatabaseSync(file);
      busy.exec("BEGIN IMMEDIATE");
      const waiting = open(file).remember(record("b", "tree"));
      const failed = expect(waiting).rejects.toMatchObject({ code: "MEMORY_BUSY", retryable: true });
      vi.advanceTimersByTime(60_000);
      await failed;
      expect(await recall(open(file), "tree")).toHaveLength(1); // who only reads does not wait
    } finally {
      vi.useRealTimers();
    }
  });
});

it("is written to by two processes at once, and has all that both wrote", async () => {
  const file = newFile();
  const write = (name: string) =>
    promisify(execFile)(process.execPath, [
      "--conditions=@swarm/source",
      join(import.meta.dirname, "../../test/writer.ts"),
      file,
      name,
      "1000",
    ]);
  const written = await Promise.all([write("left"), write("right")]);
  expect(written.map(({ stderr }) => stderr)).toEqual(["", ""]); // not even a warning
  const store = open(file);
  expect(await recall(store, "task", 5_000)).toHaveLength(2_000);
  expect(await recall(store, "left999")).toMatchObject([{ id: "left-999" }]);
});

it("shows no warning of SQLite, and every other one", () => {
  const shown: string[] = [];
  const original = process.emitWarning;
  process.emitWarning = ((warning: string) => void shown.push(warning)) as typeof process.emitWarning;
  try {
    loadSqlite();
    process.emitWarning("something else");
  } finally {
    process.emitWarning = original;
  }
  expect(shown).toEqual(["something else"]);
});

it("reads a torn journal of a crashed process as not written", async () => {
  const file = newFile();
  const store = open(file);
  await store.remember(record("a", "tree"));
  appendFileSync(`${file}-wal`, "torn");
  expect(await recall(open(file), "tree")).toHaveLength(1);
});
