import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { blobSnapshots } from "@swarm/sandbox";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { benches } from "../test/bench.ts";
import { applyPatch } from "./apply-patch.ts";

const bench = benches(afterAll);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "swarm-git-diff-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** Few different lines, so that most hunks fit at several places, and such as look like parts of a patch. */
const line = fc.constantFrom(
  "a",
  "b",
  "  a",
  "",
  " ",
  "é\u2028",
  "-- a",
  "++ b",
  "@@ -1 +1 @@",
  "\\ x",
  "a\rb",
  "\ufeffa",
);
const end = fc.constantFrom("\n", "\n", "\r\n");
const text = fc
  .tuple(fc.array(fc.tuple(line, end), { maxLength: 25 }), fc.constantFrom("", "last"))
  .map(([lines, last]) => lines.flat().join("") + last);

/** A text, and what random cuts and insertions make of it. */
const edited = fc
  .tuple(text, fc.array(fc.tuple(fc.nat(), fc.nat(4), text), { minLength: 1, maxLength: 3 }))
  .map(([before, edits]) => {
    const lines = before.split(/(?<=\n)/);
    for (const [place, cut, added] of edits) {
      lines.splice(place % (lines.length + 1), cut, ...added.split(/(?<=\n)/).slice(0, 4));
    }
    return { before, after: lines.join("") };
  });

async function gitDiff(before: string, after: string, context: number): Promise<string> {
  const options = {
    cwd: folder,
    env: { PATH: process.env["PATH"], GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
  };
  await writeFile(join(folder, "before"), before);
  await writeFile(join(folder, "after"), after);
  const argv = ["diff", "--no-index", "--text", `-U${context}`, "before", "after"];
  const { stdout } = spawnSync("git", argv, { ...options, encoding: "utf8" });
  return stdout
    .replace("a/before b/after", "a/f b/f")
    .replace("--- a/before", "--- a/f")
    .replace("+++ b/after", "+++ b/f");
}

test("a patch that git made gives the very bytes that git made it from", async () => {
  await using desk = await bench({});
  await fc.assert(
    fc.asyncProperty(edited, fc.integer({ min: 1, max: 3 }), async ({ before, after }, context) => {
      fc.pre(before !== after);
      const patch = await gitDiff(before, after, context);
      await desk.workspace.write("f", before);
      const { ok, output } = await desk.call(applyPatch, { patch });
      expect({ ok, output }).toMatchObject({ ok: true });
      expect(await desk.bytes("f")).toEqual(Buffer.from(after));
    }),
    { numRuns: 150 },
  );
});

test("a patch that fails changes nothing, in whatever order its files come", async () => {
  await using desk = await bench({});
  const failing = "--- a/other\n+++ b/other\n@@ -1,2 +1 @@\n other\n-not there\n";
  await fc.assert(
    fc.asyncProperty(edited, text, fc.boolean(), async ({ before, after }, present, first) => {
      fc.pre(before !== after);
      const patch = await gitDiff(before, after, 3);
      await desk.workspace.write("f", present);
      await desk.workspace.write("other", "other\n");
      const { ok } = await desk.call(applyPatch, { patch: first ? failing + patch : patch + failing });
      expect(ok).toBe(false);
      expect(await desk.bytes("f")).toEqual(Buffer.from(present));
      expect((await desk.bytes("other")).toString()).toBe("other\n");
    }),
    { numRuns: 60 },
  );
});

test("a patch for another file either says that it does not fit or leaves no line that is in neither text", async () => {
  await using desk = await bench({});
  await fc.assert(
    fc.asyncProperty(edited, text, async ({ before, after }, present) => {
      fc.pre(before !== after);
      const patch = await gitDiff(before, after, 3);
      await desk.workspace.write("f", present);
      const { ok } = await desk.call(applyPatch, { patch });
      const result = (await desk.bytes("f")).toString();
      if (!ok) expect(result).toBe(present);
      const known = new Set([...present.split(/\r?\n/), ...after.split(/\r?\n/)]);
      expect(result.split(/\r?\n/).filter((some) => !known.has(some))).toEqual([]);
    }),
    { numRuns: 150 },
  );
});

test("a patch of one snapshot to another makes the other of it: names, modes, new, deleted and empty files with the rest", async () => {
  await using desk = await bench({});
  const snapshots = blobSnapshots(desk.blobs);
  const name = fc.constantFrom("a", "b c", "é", 'q"', "-p", "t\tn\n", "trail ", "+++ b", "a b");
  const path = fc.array(name, { minLength: 1, maxLength: 2 }).map((names) => names.join("/"));
  const content = fc
    .tuple(text, fc.boolean())
    .map(([text, executable]) => (executable ? { base64: Buffer.from(text).toString("base64"), executable } : text));
  const tree = fc
    .dictionary(path, content, { maxKeys: 5 })
    .filter(
      (files) =>
        !Object.keys(files).some((path) => Object.hasOwn(files, path.split("/")[0] ?? "") && path.includes("/")),
    );
  await fc.assert(
    fc.asyncProperty(tree, tree, async (one, other) => {
      const [from, to] = [await snapshots.put({ files: one }), await snapshots.put({ files: other })];
      fc.pre(from !== to);
      await desk.workspace.restore(from);
      const patch = Buffer.from(await snapshots.patch(from, to)).toString();
      const { ok, output } = await desk.call(applyPatch, { patch });
      expect({ ok, output }).toMatchObject({ ok: true });
      expect(await desk.workspace.snapshot()).toBe(to);
    }),
    { numRuns: 15 },
  );
});
