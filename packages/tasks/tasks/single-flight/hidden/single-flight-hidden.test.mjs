import assert from "node:assert/strict";
import { it } from "node:test";
import { singleFlight } from "../src/single-flight.mjs";

function controlledLoad() {
  const calls = [];
  const load = (key) => new Promise((resolve, reject) => calls.push({ key, resolve, reject }));
  return { calls, load };
}

it("gives a failure to everyone who waited for it", async () => {
  const { calls, load } = controlledLoad();
  const cache = singleFlight(load);
  const answers = [cache.get("a"), cache.get("a")];
  calls[0].reject(new Error("offline"));
  const settled = await Promise.allSettled(answers);
  assert.deepEqual(
    settled.map(({ status, reason }) => [status, reason?.message]),
    [
      ["rejected", "offline"],
      ["rejected", "offline"],
    ],
  );
  assert.equal(calls.length, 1);
});

it("does not keep an old value that arrives after it was told to forget", async () => {
  const { calls, load } = controlledLoad();
  const cache = singleFlight(load);
  const old = cache.get("a");
  cache.forget("a");
  const fresh = cache.get("a");
  assert.equal(calls.length, 2);
  calls[1].resolve("fresh");
  assert.equal(await fresh, "fresh");
  calls[0].resolve("old");
  assert.equal(await old, "old");
  assert.equal(await cache.get("a"), "fresh");
  assert.equal(calls.length, 2);
});

it("does not drop a fresh load when an old one fails", async () => {
  const { calls, load } = controlledLoad();
  const cache = singleFlight(load);
  const old = cache.get("a");
  cache.forget("a");
  const fresh = cache.get("a");
  calls[0].reject(new Error("too late"));
  await assert.rejects(old, /too late/);
  const joined = cache.get("a");
  assert.equal(calls.length, 2);
  calls[1].resolve("fresh");
  assert.deepEqual(await Promise.all([fresh, joined]), ["fresh", "fresh"]);
});

it("rejects when the load throws before it gives a promise", async () => {
  const cache = singleFlight(() => {
    throw new Error("no such loader");
  });
  await assert.rejects(cache.get("a"), /no such loader/);
});

it("keeps undefined like any value", async () => {
  let loads = 0;
  const cache = singleFlight(async () => {
    loads++;
  });
  assert.equal(await cache.get("__proto__"), undefined);
  assert.equal(await cache.get("__proto__"), undefined);
  assert.equal(loads, 1);
});
