import assert from "node:assert/strict";
import { it } from "node:test";
import { firstBad } from "../src/first-bad.mjs";

it("finds every first bad commit within the allowed checks, none twice", async () => {
  for (const length of [1, 2, 3, 4, 7, 8, 9, 31, 32, 33, 100]) {
    const commits = Array.from({ length }, (_, index) => `c${index}`);
    for (let badFrom = 0; badFrom <= length; badFrom++) {
      const checked = [];
      const found = await firstBad(commits, async (commit) => {
        checked.push(commit);
        return commits.indexOf(commit) >= badFrom;
      });
      assert.equal(found, commits[badFrom] ?? null);
      assert.ok(checked.length <= Math.ceil(Math.log2(length + 1)), `${checked.length} checks of ${length} commits`);
      assert.equal(new Set(checked).size, checked.length);
    }
  }
});

it("makes one check at a time", async () => {
  let running = 0;
  const commits = Array.from({ length: 20 }, (_, index) => `c${index}`);
  await firstBad(commits, async (commit) => {
    assert.equal(++running, 1);
    await Promise.resolve();
    running--;
    return commit >= "c5";
  });
});

it("passes on the error of a check that failed", async () => {
  const broken = new Error("does not build");
  await assert.rejects(
    firstBad(["a", "b"], async () => {
      throw broken;
    }),
    broken,
  );
});
