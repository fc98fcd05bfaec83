import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InvalidInputError, NotFoundError, SandboxError } from "@swarm/core";
import { directoryBlobs, localSandbox } from "@swarm/sandbox";
import { afterEach, beforeEach, expect, it } from "vitest";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "blobs-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
const fileOf = (id: string) => join(directory, id.slice(0, 2), id.slice(2));

it("keeps bytes under their sha-256, once", async () => {
  const blobs = directoryBlobs(directory);
  expect(await blobs.put("abc")).toBe(ABC);
  const { ino } = statSync(fileOf(ABC));
  expect(await blobs.put(Buffer.from("abc"))).toBe(ABC);
  expect(statSync(fileOf(ABC)).ino).toBe(ino);
  expect(Buffer.from(await blobs.get(ABC)).toString()).toBe("abc");
  expect(await blobs.has(ABC)).toBe(true);
  const empty = await blobs.put("");
  expect(await blobs.get(empty)).toHaveLength(0);
});

it("knows what it does not have, whatever it is asked for", async () => {
  const blobs = directoryBlobs(join(directory, "not-made-yet"));
  for (const id of [ABC, "", "..", "../../etc/passwd", ABC.toUpperCase()]) {
    await expect(blobs.get(id)).rejects.toThrow(NotFoundError);
    expect(await blobs.has(id)).toBe(false);
  }
  expect(readdirSync(directory)).toEqual([]);
});

it("never passes damaged bytes on, and mends what was cut short", async () => {
  const blobs = directoryBlobs(directory);
  await blobs.put("abc");
  writeFileSync(fileOf(ABC), "ab");
  await expect(blobs.get(ABC)).rejects.toThrow(SandboxError);
  await blobs.put("abc");
  expect(Buffer.from(await blobs.get(ABC)).toString()).toBe("abc");
  writeFileSync(fileOf(ABC), "abd");
  await expect(blobs.get(ABC)).rejects.toThrow(/is damaged/);
});

it("makes its folder with those above it", async () => {
  const blobs = directoryBlobs(join(directory, "a/b/c"));
  expect(await blobs.has(await blobs.put("abc"))).toBe(true);
});

it("says at once where no folder can be made, and why", async () => {
  writeFileSync(join(directory, "file"), "");
  symlinkSync("nowhere", join(directory, "dangling"));
  const places = ["file", "file/objects", "dangling", "dangling/objects"].map((name) => join(directory, name));
  // Where the system has the parent and yet no folder can be made in it.
  if (existsSync("/proc/self")) places.push("/proc/x/objects", "/proc/self/objects/deeper", "/proc");
  for (const store of places) {
    const blobs = directoryBlobs(store);
    const refusal: InvalidInputError = await blobs.put("abc").catch((error) => error);
    expect(refusal, store).toBeInstanceOf(InvalidInputError);
    expect(refusal.field).toBe("store");
    expect(refusal.message).toMatch(
      /^store: no folder can be made at .* \(E[A-Z]+: .*\); give one that can be written to$/,
    );
    expect(refusal.message).toContain(JSON.stringify(store));
    expect(await blobs.has(ABC), store).toBe(false);
    await expect(blobs.get(ABC), store).rejects.toThrow(NotFoundError);
    const sandbox = localSandbox({ store, isolation: "none" });
    await expect(sandbox.snapshots.put({ files: { a: "1" } }), store).rejects.toThrow(InvalidInputError);
  }
});

it("is written by several processes at once, each blob whole or not there", async () => {
  const module = new URL("./directory-blobs.ts", import.meta.url).href;
  const script = `
    import { directoryBlobs } from ${JSON.stringify(module)};
    const blobs = directoryBlobs(${JSON.stringify(directory)});
    for (let n = 0; n < 40; n += 1) {
      const id = await blobs.put(String(n).repeat(50_000));
      await blobs.get(id);
    }`;
  const args = ["--conditions=@swarm/source", "--input-type=module", "-e", script];
  const writers = [1, 2, 3].map(() => spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"] }));
  const codes = await Promise.all(writers.map(async (writer) => (await once(writer, "exit"))[0]));
  expect(codes).toEqual([0, 0, 0]);
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((name) => name.includes("/"));
  expect(names).toHaveLength(40);
  expect(names.filter((name) => name.endsWith(".tmp"))).toEqual([]);
});
