import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Blobs, NotFoundError, sha256 } from "@swarm/core";
import { directoryBlobs, localSandbox } from "@swarm/sandbox";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

let directory: string;
let asked: string[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "shared-"));
  asked = [];
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const { signal } = new AbortController();

/** A store that several machines reach, with what was asked of it. */
function told(blobs: Blobs): Blobs {
  return {
    put: async (data) => {
      const id = await blobs.put(data);
      asked.push(`put ${id}`);
      return id;
    },
    get: async (id) => {
      asked.push(`get ${id}`);
      return await blobs.get(id);
    },
    has: (id) => blobs.has(id),
  };
}
const machine = (name: string) =>
  localSandbox({
    store: join(directory, name),
    shared: told(directoryBlobs(join(directory, "shared"))),
    isolation: "none",
  });

describe("a sandbox with a store that is shared", () => {
  it("opens what another machine made, and gives only what is new", async () => {
    const [here, there] = [machine("here"), machine("there")];
    const base = await here.snapshots.put({ files: { "a.txt": "a\n", "d/b.txt": "b\n" } });
    expect(asked.filter((one) => one.startsWith("put"))).toHaveLength(4); // two files and two folders

    asked = [];
    await using workspace = await there.open({ snapshot: base, lane: "run" }, { signal });
    expect(Buffer.from(await workspace.read("d/b.txt")).toString()).toBe("b\n");
    expect(asked.filter((one) => one.startsWith("get"))).toHaveLength(4);

    asked = [];
    await workspace.write("a.txt", "changed\n");
    const changed = await workspace.snapshot();
    expect(asked.sort()).toEqual([`put ${sha256("changed\n")}`, `put ${changed}`].sort());

    asked = [];
    expect(await here.snapshots.files(changed)).toEqual({ "a.txt": "changed\n", "d/b.txt": "b\n" });
    expect(asked.sort()).toEqual([`get ${sha256("changed\n")}`, `get ${changed}`].sort());
  });

  it("says what neither has, and what is damaged", async () => {
    const here = machine("here");
    await expect(here.blobs.get(sha256("none"))).rejects.toThrow(NotFoundError);
    const id = await here.blobs.put("whole");
    const folder = join(directory, "shared", id.slice(0, 2));
    for (const name of readdirSync(folder)) writeFileSync(join(folder, name), "other");
    await expect(machine("there").blobs.get(id)).rejects.toThrow(/damaged/);
  });

  it("does not say that a blob is there which the shared store did not take", async () => {
    const full: Blobs = { ...directoryBlobs(join(directory, "shared")), put: () => Promise.reject(new Error("full")) };
    const here = localSandbox({ store: join(directory, "here"), shared: full, isolation: "none" });
    for (let tries = 0; tries < 2; tries++) await expect(here.blobs.put("text")).rejects.toThrow("full");
  });
});
