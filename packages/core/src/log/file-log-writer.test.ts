import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { RunEvent } from "../contracts/event.ts";
import { plainHeader as header } from "../testing/log-header.ts";
import { fileLogStore } from "./file-log-store.ts";
import type { Durability } from "./file-log-writer.ts";

/** The way to the disk, which no test can look at: each sync of a log or of a folder is counted, and may be made to fail. */
const disk = vi.hoisted(() => ({ syncs: 0, folders: 0, broken: false }));
vi.mock("node:fs", async (original) => {
  const fs = await original<typeof import("node:fs")>();
  const fdatasync = (descriptor: number, done: (error: Error | null) => void) => {
    disk.syncs++;
    if (disk.broken) setImmediate(done, new Error("EIO: i/o error, fdatasync"));
    else fs.fdatasync(descriptor, done);
  };
  const fsync = (descriptor: number, done: (error: Error | null) => void) => {
    if (fs.fstatSync(descriptor).isDirectory()) disk.folders++;
    fs.fsync(descriptor, done);
  };
  return { ...fs, fdatasync, fsync };
});

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "swarm-logs-"));
  Object.assign(disk, { syncs: 0, folders: 0, broken: false });
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const event = (tsIndex: number): RunEvent => ({
  tsIndex,
  stepId: "run",
  key: `0.${tsIndex}`,
  kind: "agent",
  agent: null,
  payload: { type: "note", note: {} },
});

test.each<[Durability | undefined, number]>([
  ["kernel", 0],
  ["critical", 1],
  [undefined, 1],
  ["all", 3],
])("with the durability %s, of three events of which one is critical, %d are synced", async (durability, syncs) => {
  const writer = await fileLogStore(directory, durability && { durability }).create(header);
  for (const index of [0, 1, 2]) {
    writer.append([event(index)]);
    await writer.acknowledge(index === 1);
  }
  await writer.close();
  expect(disk).toMatchObject({ syncs, folders: syncs > 0 ? 1 : 0 }); // the folder once, for the log's name
});

test("events that are appended at the same time share a sync", async () => {
  const writer = await fileLogStore(directory).create(header);
  const append = async (index: number) => {
    writer.append([event(index)]);
    await writer.acknowledge(true);
  };
  const first = append(0);
  await Promise.resolve(); // the first sync is under way, and may not cover what comes now
  await Promise.all([first, ...Array.from({ length: 99 }, (_, index) => append(index + 1))]);
  await writer.close();
  expect(disk.syncs).toBe(2);
});

test("what the events name is synced before the log is, and fails it where it cannot be", async () => {
  const writer = await fileLogStore(directory).create(header);
  const named: number[] = [];
  writer.syncAfter?.(async () => {
    if (named.push(disk.syncs) === 2) throw new Error("EIO: i/o error, fsync");
  });
  writer.append([event(0)]);
  await writer.acknowledge(false);
  await writer.acknowledge(true);
  writer.append([event(1)]);
  await expect(writer.acknowledge(true)).rejects.toMatchObject({ code: "LOG_WRITE_FAILED" });
  await writer.close();
  expect([named, disk.syncs]).toEqual([[0, 1], 1]);
});

test("after a sync that failed nothing more is taken, and the log is given back", async () => {
  const store = fileLogStore(directory);
  const writer = await store.create(header);
  disk.broken = true;
  writer.append([event(0)]);
  await expect(writer.acknowledge(true)).rejects.toMatchObject({ code: "LOG_WRITE_FAILED" });
  disk.broken = false;
  expect(() => writer.append([event(1)])).toThrowError(expect.objectContaining({ code: "LOG_WRITE_FAILED" }));
  await expect(writer.acknowledge(true)).rejects.toMatchObject({ code: "LOG_WRITE_FAILED" });
  await writer.close();
  await (await store.open("r")).writer.close();
});

test("a log is closed when the sync under way has ended", async () => {
  const writer = await fileLogStore(directory).create(header);
  writer.append([event(0)]);
  const acknowledged = writer.acknowledge(true);
  await writer.close();
  await expect(acknowledged).resolves.toBeUndefined();
});
