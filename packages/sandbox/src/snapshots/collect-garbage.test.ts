import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Blobs,
  type Files,
  fileLogStore,
  InvalidInputError,
  type LogHeader,
  NotFoundError,
  SandboxError,
  type SnapshotId,
  type Snapshots,
  sha256,
} from "@swarm/core";
import { blobSnapshots, collectGarbage, directoryBlobs } from "@swarm/sandbox";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const DAY = 24 * 60 * 60;
let runs: string;
let store: string;
let blobs: Blobs;
let snapshots: Snapshots;
beforeEach(() => {
  runs = mkdtempSync(join(tmpdir(), "garbage-"));
  store = join(runs, "objects");
  blobs = directoryBlobs(store);
  snapshots = blobSnapshots(blobs);
});
afterEach(() => rmSync(runs, { recursive: true, force: true }));

const header = (base: SnapshotId): LogHeader => ({
  schema: 1,
  runId: "r",
  task: { id: "t", prompt: "p" },
  taskSha256: "00",
  base,
  team: { name: "n", version: "1", config: {} },
  limits: {},
  prices: {},
  tier: "process",
  parent: null,
  measured: {},
});
const fileOf = (id: string) => join(store, id.slice(0, 2), id.slice(2));
const put = (files: Files) => snapshots.put({ files });

/** Lets everything in the store be as old as this. */
function age(days: number): void {
  const then = Date.now() / 1000 - days * DAY;
  for (const name of readdirSync(store, { recursive: true, encoding: "utf8" }))
    utimesSync(join(store, name), then, then);
}

describe("what a log refers to", () => {
  it("is kept with all that is in it, and the rest is removed, for any snapshots that share what they will", async () => {
    const path = fc.constantFrom("a", "b", "d/a", "d/b", "d/e/a", "e/a");
    const files = fc.dictionary(path, fc.constantFrom("1", "2", "3", "4"), { minKeys: 1, maxKeys: 5 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(files, fc.boolean()), { maxLength: 8 }), async (all) => {
        rmSync(runs, { recursive: true });
        mkdirSync(runs);
        const kept = new Map<SnapshotId, Files>();
        const logged = new Set<string>();
        for (const [files, refer] of all) {
          const id = await put(files);
          if (!refer) continue;
          kept.set(id, files);
          writeFileSync(join(runs, `${id.slice(0, 8)}.jsonl`), JSON.stringify({ base: id }));
        }
        for (const files of kept.values()) for (const content of Object.values(files)) logged.add(String(content));
        if (existsSync(store)) age(2);
        await collectGarbage({ store });
        const left = blobSnapshots(directoryBlobs(store));
        for (const [id, files] of kept) expect(await left.files(id)).toEqual(files);
        for (const content of all.flatMap(([files]) => Object.values(files).map(String))) {
          expect(await blobs.has(sha256(content))).toBe(logged.has(content));
        }
      }),
      { numRuns: 40 },
    );
  });

  it("counts wherever it stands, also in a log that is damaged, torn or called by another name", async () => {
    const [one, two, three] = [await put({ a: "1" }), await put({ "d/a": "2" }), await put({ a: "3" })];
    writeFileSync(join(runs, "r.jsonl"), `{"base":"${one}"\n\0\0 nonsense {"value":{"files":["${two}`);
    writeFileSync(join(runs, "old.jsonl.bak"), `"${await blobs.put("whole output")}"`);
    age(2);
    expect(await collectGarbage({ store })).toEqual({ kept: 6, removed: 2, bytes: expect.any(Number) });
    expect(await snapshots.files(one)).toEqual({ a: "1" });
    expect(await snapshots.files(two)).toEqual({ "d/a": "2" });
    await expect(blobSnapshots(directoryBlobs(store)).files(three)).rejects.toThrow(NotFoundError);
  });

  it("counts where a link leads to it, and nothing is removed where a link leads nowhere", async () => {
    const id = await put({ a: "1" });
    const aside = mkdtempSync(join(tmpdir(), "aside-"));
    const log = join(aside, "r.jsonl");
    writeFileSync(log, JSON.stringify({ base: id }));
    symlinkSync(log, join(runs, "r.jsonl"));
    age(2);
    expect(await collectGarbage({ store })).toMatchObject({ removed: 0 });
    rmSync(aside, { recursive: true });
    await expect(collectGarbage({ store })).rejects.toMatchObject({ field: "logs" });
    expect(await snapshots.files(id)).toEqual({ a: "1" });
  });

  it("is opened also where a file holds the same bytes as a folder", async () => {
    const inner = await put({ a: "inner" });
    const text = Buffer.from(await blobs.get(inner)).toString();
    const outer = await put({ "looks-like-a-folder": text });
    writeFileSync(join(runs, "r.jsonl"), `"${outer}" "${inner}"`);
    age(2);
    await collectGarbage({ store });
    expect(await snapshots.files(inner)).toEqual({ a: "inner" });
  });
});

describe("what no log refers to", () => {
  it("stays for a day, and longer while a run is under way that began before it was put", async () => {
    const id = await put({ a: "1" });
    const writer = await fileLogStore(runs).create(header("00"));
    const began = Date.now() / 1000 - 5 * DAY;
    utimesSync(join(runs, "r.jsonl.lock"), began, began);
    for (const days of [0.9, 4]) {
      age(days);
      expect(await collectGarbage({ store })).toMatchObject({ kept: 2, removed: 0 });
    }
    await writer.close();
    age(0.9);
    expect(await collectGarbage({ store })).toMatchObject({ kept: 2, removed: 0 });
    age(1.1);
    expect(await collectGarbage({ store, dryRun: true })).toMatchObject({ kept: 0, removed: 2 });
    expect(await snapshots.files(id)).toEqual({ a: "1" });
    const { bytes } = await collectGarbage({ store });
    expect(bytes).toBeGreaterThan(100);
    expect(await collectGarbage({ store })).toEqual({ kept: 0, removed: 0, bytes: 0 });
  });

  it("is new again when it is put again", async () => {
    const id = await put({ a: "1" });
    age(2);
    expect(await put({ a: "1" })).toBe(id);
    expect(await collectGarbage({ store })).toMatchObject({ kept: 2, removed: 0 });
  });

  it("is found while a collector has it aside, and removed or kept by the next one if that was killed", async () => {
    const [lost, needed] = [await blobs.put("lost"), await blobs.put("needed")];
    age(2);
    mkdirSync(join(store, "discarded"));
    for (const id of [lost, needed]) renameSync(fileOf(id), join(store, "discarded", id));
    writeFileSync(`${fileOf(lost)}.x.tmp`, "half");
    age(2);
    for (const id of [lost, needed])
      expect([await blobs.has(id), (await blobs.get(id)).length > 0]).toEqual([true, true]);
    writeFileSync(join(runs, "r.jsonl"), `"${needed}"`);
    expect(await collectGarbage({ store })).toMatchObject({ kept: 1, removed: 1 });
    expect(Buffer.from(await blobs.get(needed)).toString()).toBe("needed");
    expect(await blobs.has(lost)).toBe(false);
    expect(existsSync(`${fileOf(lost)}.x.tmp`)).toBe(false);
  });

  it("is never taken from who puts it at the same moment", async () => {
    const module = new URL("./collect-garbage.ts", import.meta.url).href;
    const script = `
      import { collectGarbage } from ${JSON.stringify(module)};
      console.log("ready");
      for (;;) await collectGarbage({ store: ${JSON.stringify(store)} });`;
    const args = ["--conditions=@swarm/source", "--input-type=module", "-e", script];
    const collectors = [1, 2].map(() => spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] }));
    try {
      await Promise.all(collectors.map(({ stdout }) => once(stdout, "data")));
      for (let round = 0; round < 1_000; round += 1) {
        const id = await blobs.put(`${round % 10}`);
        expect(Buffer.from(await blobs.get(id)).toString()).toBe(`${round % 10}`);
        // The collectors may have it the moment that it is old, and the next round puts it again.
        makeOld(fileOf(id));
        if (round % 10 === 9) await new Promise(setImmediate);
      }
      expect(collectors.map(({ exitCode }) => exitCode)).toEqual([null, null]);
    } finally {
      for (const collector of collectors) collector.kill("SIGKILL");
    }
  });
});

/** Unless a collector was faster. */
function makeOld(file: string): void {
  try {
    utimesSync(file, 1, 1);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

it("removes nothing where it cannot know what is needed", async () => {
  const id = await put({ a: "1" });
  age(2);
  const refused = collectGarbage({ store, logs: [runs, join(runs, "none")] });
  await expect(refused).rejects.toThrow(InvalidInputError);
  await expect(refused).rejects.toMatchObject({ field: "logs" });
  writeFileSync(join(runs, "r.jsonl"), `"${id}"`);
  const { size } = statSync(fileOf(id));
  writeFileSync(fileOf(id), " ".repeat(size));
  age(2);
  await expect(collectGarbage({ store })).rejects.toThrow(SandboxError);
  expect(readdirSync(store).length).toBe(2);
});

it("has nothing to do where there is no store, and leaves alone what is not the store's", async () => {
  expect(await collectGarbage({ store })).toEqual({ kept: 0, removed: 0, bytes: 0 });
  mkdirSync(join(store, "ab"), { recursive: true });
  for (const name of ["notes.txt", "ab/notes.txt", "ab/notes.tmp"]) writeFileSync(join(store, name), "mine");
  age(9);
  expect(await collectGarbage({ store })).toEqual({ kept: 0, removed: 0, bytes: 0 });
  expect(readdirSync(store, { recursive: true }).sort()).toEqual(["ab", "ab/notes.tmp", "ab/notes.txt", "notes.txt"]);
});
