import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { singleFlight } from "../src/single-flight.mjs";

/** A load function whose calls are settled by the test, in the order that it likes. */
function controlledLoad() {
  const calls = [];
  const load = (key) => new Promise((resolve, reject) => calls.push({ key, resolve, reject }));
  return { calls, load };
}

describe("singleFlight", () => {
  it("gives what was loaded", async () => {
    const cache = singleFlight(async (key) => key.toUpperCase());
    assert.equal(await cache.get("a"), "A");
  });

  it("loads a key that is there no second time", async () => {
    const { calls, load } = controlledLoad();
    const cache = singleFlight(load);
    const first = cache.get("a");
    calls[0].resolve(1);
    assert.equal(await first, 1);
    assert.equal(await cache.get("a"), 1);
    assert.equal(calls.length, 1);
  });

  it("loads once for callers that ask at the same time", async () => {
    const { calls, load } = controlledLoad();
    const cache = singleFlight(load);
    const answers = [cache.get("a"), cache.get("a"), cache.get("a")];
    assert.equal(calls.length, 1, `${calls.length} loads of one key are in flight`);
    calls[0].resolve("once");
    assert.deepEqual(await Promise.all(answers), ["once", "once", "once"]);
  });

  it("loads different keys side by side", async () => {
    const { calls, load } = controlledLoad();
    const cache = singleFlight(load);
    const answers = [cache.get("a"), cache.get("b")];
    assert.deepEqual(
      calls.map(({ key }) => key),
      ["a", "b"],
    );
    calls[1].resolve(2);
    calls[0].resolve(1);
    assert.deepEqual(await Promise.all(answers), [1, 2]);
  });

  it("loads again after a failure", async () => {
    const { calls, load } = controlledLoad();
    const cache = singleFlight(load);
    const first = cache.get("a");
    calls[0].reject(new Error("offline"));
    await assert.rejects(first, /offline/);
    const second = cache.get("a");
    calls[1].resolve("back");
    assert.equal(await second, "back");
  });

  it("loads again what it was told to forget", async () => {
    let loads = 0;
    const cache = singleFlight(async () => ++loads);
    assert.equal(await cache.get("a"), 1);
    cache.forget("a");
    assert.equal(await cache.get("a"), 2);
  });
});
