import { existsSync, globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { directoryBlobs } from "@swarm/sandbox";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

/** The way to the disk, which no test can look at: what is synced is noted, and may fail. */
const disk = vi.hoisted(() => ({ synced: [] as string[], broken: false }));
vi.mock("node:fs/promises", async (original) => {
  const fs = await original<typeof import("node:fs/promises")>();
  const open: typeof fs.open = async (path, ...rest) => {
    const file = await fs.open(path, ...rest);
    const own = file.sync.bind(file);
    const sync = async () => {
      if (disk.broken) throw new Error("EIO: i/o error, fsync");
      await own();
      disk.synced.push(String(path));
    };
    return Object.assign(file, { sync });
  };
  return { ...fs, open };
});

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "blobs-"));
  Object.assign(disk, { synced: [], broken: false });
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const blobsIn = (store: string) => globSync(join(store, "[0-9a-f][0-9a-f]/*")).sort();
const syncedIn = (store: string) => disk.synced.filter((path) => blobsIn(store).includes(path)).sort();

test("each is synced once, with its name, also where another process put it", async () => {
  await directoryBlobs(directory).put("put by another");
  const blobs = directoryBlobs(directory);
  for (const text of ["put by another", "put here", "put here"]) await blobs.put(text);
  await Promise.all([blobs.sync?.(), blobs.sync?.()]);
  await blobs.put("put here");
  await blobs.sync?.();
  expect(syncedIn(directory)).toEqual(blobsIn(directory));
  expect(disk.synced).toEqual(expect.arrayContaining([directory]));
});

test("what was taken away meanwhile is none, and what could not be synced is not said to be", async () => {
  const blobs = directoryBlobs(directory);
  await blobs.put("garbage");
  for (const file of blobsIn(directory)) rmSync(file);
  await blobs.sync?.();
  await blobs.put("garbage");
  disk.broken = true;
  await expect(blobs.sync?.()).rejects.toThrow("EIO");
  disk.broken = false;
  await expect(blobs.sync?.()).rejects.toThrow("EIO"); // the disk may have lost it
  expect(blobsIn(directory).every(existsSync)).toBe(true);
});
