import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type Blobs, NotFoundError } from "@swarm/core";
import { directoryBlobs } from "@swarm/sandbox";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LiveTree } from "./live-tree.ts";
import { Trees } from "./trees.ts";

let directory: string;
let root: string;
let calls: string[];
let trees: Trees;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "live-tree-"));
  root = join(directory, "root");
  mkdirSync(root);
  calls = [];
  trees = new Trees(counted(directoryBlobs(join(directory, "objects"))));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function counted(blobs: Blobs): Blobs {
  return {
    put(data) {
      calls.push("put");
      return blobs.put(data);
    },
    get(id) {
      calls.push("get");
      return blobs.get(id);
    },
    has: (id) => blobs.has(id),
  };
}

const live = () => new LiveTree(root, trees, { rebase: false });
const at = (path: string) => join(root, path);
function write(path: string, content: string): void {
  mkdirSync(join(at(path), ".."), { recursive: true });
  writeFileSync(at(path), content);
}
/** Until the state of all that was written so far vouches for it. */
const settled = () => setTimeout(30);

describe("a capture", () => {
  it("of what did not change reads and writes nothing, and of one edit only what leads to it", async () => {
    const tree = live();
    for (const path of ["a/b/x", "a/y", "c/z", "top"]) write(path, path);
    await settled();
    const first = await tree.capture();
    calls = [];
    expect(await tree.capture()).toBe(first);
    expect(calls).toEqual([]);
    write("a/b/x", "new");
    const second = await tree.capture();
    expect(calls).toEqual(["put", "put", "put", "put"]); // the file, b, a and the root
    expect(await trees.flatten(second)).toEqual(await trees.flatten(await live().capture()));
  });

  it("is that of a first look, whatever was done and however alike it looks", async () => {
    const path = fc.constantFrom("a", "b", "d/a", "d/e/a");
    const content = fc.constantFrom("aaaa", "bbbb", "cccc");
    // Edits of a fixed size, at a fixed time: nothing but the content and what nobody can forge tells them apart.
    const edits = fc.oneof(
      { weight: 6, arbitrary: fc.record({ act: fc.constantFrom("write", "replace"), path, content }) },
      { weight: 2, arbitrary: fc.record({ act: fc.constantFrom("swap", "link", "chmod"), path, content: path }) },
      { weight: 1, arbitrary: fc.record({ act: fc.constantFrom("remove", "mkdir"), path, content }) },
      { weight: 1, arbitrary: fc.record({ act: fc.constantFrom("remove", "mkdir"), path: fc.constant("d"), content }) },
    );
    const round = fc.record({
      edits: fc.array(edits, { minLength: 1, maxLength: 4 }),
      rest: fc.boolean(),
      end: fc.constantFrom("capture", "capture", "capture what was touched", "restore"),
      pick: fc.nat(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(round, { minLength: 2, maxLength: 8 }), async (rounds) => {
        rmSync(root, { recursive: true });
        mkdirSync(root);
        const tree = live();
        const captured = [await tree.capture()];
        for (const { edits, rest, end, pick } of rounds) {
          const touched = edits.flatMap(({ act, path, content }) => edit(act, path, content));
          if (rest) await settled();
          if (end === "restore") {
            const id = captured[pick % captured.length]!;
            await tree.restore(id);
            expect(await live().capture()).toBe(id);
          } else captured.push(await tree.capture(end === "capture" ? undefined : touched));
          expect(await tree.capture([])).toBe(await live().capture());
        }
      }),
      { numRuns: 30 },
    );
  });
});

/** Makes one change with all times set back, and gives the paths that it touched. What cannot be done is left undone. */
function edit(act: string, path: string, content: string): string[] {
  const paths = [path];
  try {
    if (act === "write" || act === "replace") {
      mkdirSync(join(at(path), ".."), { recursive: true });
      if (act === "replace") {
        writeFileSync(at("new"), content);
        utimesSync(at("new"), 1, 1);
        renameSync(at("new"), at(path));
      } else {
        writeFileSync(at(path), content);
        utimesSync(at(path), 1, 1);
        paths.push(behindLinks(path));
      }
    } else if (act === "swap") {
      paths.push(content);
      renameSync(at(path), join(directory, "aside"));
      renameSync(at(content), at(path));
      renameSync(join(directory, "aside"), at(content));
    } else if (act === "link") symlinkSync(content, at(path));
    else if (act === "chmod") {
      chmodSync(at(path), 0o755);
      paths.push(behindLinks(path));
    } else if (act === "mkdir") mkdirSync(at(path), { recursive: true });
    else rmSync(at(path), { recursive: true, force: true });
  } catch {
    rmSync(at("new"), { force: true });
  }
  return paths;
}

/** Where a change of what is at a path is made. */
const behindLinks = (path: string) => relative(realpathSync(root), realpathSync(at(path)));

describe("a restore", () => {
  it("changes nothing when a folder of the snapshot is missing", async () => {
    write("a/b", "1");
    const tree = live();
    const id = await tree.capture();
    write("a/b", "2");
    const store = join(directory, "objects");
    const inside = (await trees.load(id)).get("a");
    const file = inside?.kind === "folder" ? inside.sha256 : "";
    rmSync(join(store, file.slice(0, 2), file.slice(2)));
    const other = new LiveTree(root, new Trees(directoryBlobs(store)), { rebase: false });
    await expect(other.restore(id)).rejects.toThrow(NotFoundError);
    expect(readFileSync(at("a/b"), "utf8")).toBe("2");
    expect(other.torn).toBe(false);
  });

  it("that fails half-way is known as such, until one ends", async () => {
    for (let n = 0; n < 40; n += 1) write(`d/f${n}`, `${n}`);
    const tree = live();
    const whole = await tree.capture();
    rmSync(at("d"), { recursive: true });
    const empty = await tree.capture();

    let left = 20;
    const failing = new Trees({
      ...trees.blobs,
      get: async (id) => (left-- > 0 ? await trees.blobs.get(id) : Promise.reject(new Error("no more"))),
    });
    const broken = new LiveTree(root, failing, { rebase: false });
    await expect(broken.restore(whole)).rejects.toThrow("no more");
    expect(readdirSync(at("d")).length).toBeGreaterThan(0);
    expect(broken.torn).toBe(true);
    left = 100;
    await broken.restore(empty);
    expect(broken.torn).toBe(false);
    expect(readdirSync(root)).toEqual([]);
    await broken.restore(whole);
    expect(await live().capture()).toBe(whole);
  });
});
