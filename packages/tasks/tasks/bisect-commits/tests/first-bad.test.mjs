import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { firstBad } from "../src/first-bad.mjs";

/** A history whose commits are bad from an index on, and the checks that were made of it. */
function history(length, badFrom) {
  const commits = Array.from({ length }, (_, index) => `commit-${index}`);
  const checked = [];
  const isBad = async (commit) => {
    checked.push(commit);
    return commits.indexOf(commit) >= badFrom;
  };
  return { commits, checked, isBad };
}

describe("firstBad", () => {
  it("finds the first bad commit of a short history", async () => {
    const { commits, isBad } = history(5, 3);
    assert.equal(await firstBad(commits, isBad), "commit-3");
  });

  it("finds it at both ends", async () => {
    const first = history(6, 0);
    assert.equal(await firstBad(first.commits, first.isBad), "commit-0");
    const last = history(6, 5);
    assert.equal(await firstBad(last.commits, last.isBad), "commit-5");
  });

  it("gives null where all are good", async () => {
    const { commits, isBad } = history(6, 6);
    assert.equal(await firstBad(commits, isBad), null);
  });

  it("checks nothing in an empty history", async () => {
    const { commits, checked, isBad } = history(0, 0);
    assert.equal(await firstBad(commits, isBad), null);
    assert.deepEqual(checked, []);
  });

  it("makes few checks in a long history", async () => {
    const { commits, checked, isBad } = history(1000, 617);
    assert.equal(await firstBad(commits, isBad), "commit-617");
    assert.ok(checked.length <= 10, `${checked.length} checks of 1000 commits, at most 10 are allowed`);
  });
});
