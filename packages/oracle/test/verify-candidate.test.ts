import { InvalidInputError, type Task } from "@swarm/core";
import { type CandidateSource, verifyCandidate } from "@swarm/oracle";
import { afterAll, describe, expect, it } from "vitest";
import { openLab } from "./lab.ts";

const lab = await openLab();
afterAll(() => lab[Symbol.asyncDispose]());
const { sandbox } = lab;
const { snapshots } = sandbox;

const TEST = `import assert from "node:assert/strict";
import { test } from "node:test";
import { add } from "../add.mjs";
test("adds", () => assert.equal(add(1, 2), 3));
`;
const BEFORE = { "add.mjs": "export const add = () => 0;\n", "data/pixel.bin": { base64: "AAEC/w==" } };
const RIGHT = { ...BEFORE, "add.mjs": "export const add = (a, b) => a + b;\n" };
const task: Task = {
  id: "add",
  prompt: "Make add() add.",
  source: { files: BEFORE },
  testFiles: { "test/add.test.mjs": TEST },
  oracle: { runner: "node:test" },
};

const judge = (candidate: CandidateSource, of: Task = task) => verifyCandidate({ task: of, candidate, sandbox });
async function patchOf(before: Task["testFiles"] & {}, after: Task["testFiles"] & {}) {
  const [from, to] = [await snapshots.put({ files: before }), await snapshots.put({ files: after })];
  return { patch: await snapshots.patch(from, to) };
}

describe("a candidate", () => {
  it("that is a folder's files needs none of the tests, and none of them is missed", async () => {
    expect(await judge({ files: RIGHT })).toMatchObject({ passed: true, tampering: [] });
    expect(await judge({ files: BEFORE })).toMatchObject({ passed: false, outcome: "failed", tampering: [] });
  });

  it("is told apart from one that removed a test which the source has", async () => {
    const own: Task = { ...task, source: { files: { ...BEFORE, ...task.testFiles } } };
    const { outcome, tampering } = await judge({ files: RIGHT }, own);
    const removed = { kind: "test-file-changed", path: "test/add.test.mjs", change: "removed" };
    expect([outcome, tampering]).toEqual([expect.stringMatching(/^(verified|passed)$/), [removed]]);
  });

  it("is judged as a patch too, with bytes that are no text", async () => {
    const after = { ...RIGHT, "data/pixel.bin": { base64: "/wIBAA==" }, "data/new file é.txt": "no end" };
    const [patched, whole] = [await judge(await patchOf(BEFORE, after)), await judge({ files: after })];
    expect(patched.passed).toBe(true);
    expect(patched.evidence["sha256"]).toBe(whole.evidence["sha256"]);
  });

  it("may be a patch that was made with the tests there, or one that brings some to their place", async () => {
    const tests = { "test/add.test.mjs": TEST };
    const weak = { "test/add.test.mjs": "" };
    const changing = await judge(await patchOf({ ...BEFORE, ...tests }, { ...RIGHT, ...weak }));
    const bringing = await judge(await patchOf(BEFORE, { ...RIGHT, ...weak }));
    for (const { passed, tampering } of [changing, bringing]) {
      expect([passed, tampering]).toEqual([true, [expect.objectContaining({ kind: "test-file-changed" })]]);
    }
  });

  it.each([
    ["fits nothing", "--- a/add.mjs\n+++ b/add.mjs\n@@ -1 +1 @@\n-something else\n+x\n", "patch failed: add.mjs:1"],
    ["is none", "hello\n", "No valid patches in input"],
    ["is cut off", "--- a/add.mjs\n+++ b/add.mjs\n@@ -1,3 +1,3 @@\n", "corrupt patch"],
    ["leads outside", "--- /dev/null\n+++ b/../x\n@@ -0,0 +1 @@\n+x\n", "invalid path '../x'"],
  ])("is refused as a patch that %s", async (_, patch, message) => {
    const refused = judge({ patch });
    await expect(refused).rejects.toBeInstanceOf(InvalidInputError);
    await expect(refused).rejects.toMatchObject({ code: "PATCH_DOES_NOT_APPLY", field: "candidate.patch" });
    await expect(refused).rejects.toThrow(message);
  });

  it("is refused where it is not there, and where there is nothing to judge by", async () => {
    await expect(judge({ directory: "/nowhere/at/all" })).rejects.toMatchObject({ field: "candidate.directory" });
    const { testFiles: _, oracle: __, ...bare } = task;
    await expect(judge({ files: RIGHT }, bare)).rejects.toMatchObject({ field: "task.testFiles" });
  });
});
