import fc from "fast-check";
import { expect, test } from "vitest";
import { TokenBucket } from "./token-bucket.ts";

const calls = fc.array(
  fc.record({
    afterMs: fc.nat(5_000),
    amount: fc.integer({ min: 1, max: 300 }),
    back: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  { maxLength: 40 },
);

/** Lets each call begin as soon as it may, and some give back a part at once. */
function begun(perMinute: number, wanted: { afterMs: number; amount: number; back: number }[]) {
  const bucket = new TokenBucket(perMinute, 0);
  let now = 0;
  return wanted.map(({ afterMs, amount, back }) => {
    now += afterMs;
    const waitMs = bucket.waitMs(now);
    now += waitMs;
    bucket.take(amount, now);
    bucket.take(-amount * back, now);
    return { at: now, amount: amount * (1 - back), waitMs };
  });
}

test("in no time do more begin than the rate's share of it, a second's worth and one call", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6_000 }), calls, (perMinute, wanted) => {
      const all = begun(perMinute, wanted);
      for (const [index, first] of all.entries()) {
        let sum = 0;
        for (const { at, amount } of all.slice(index)) {
          const most = (perMinute / 60_000) * (at - first.at) + perMinute / 60;
          expect(sum).toBeLessThanOrEqual(most + 1e-6); // what began before the last one
          sum += amount;
        }
      }
    }),
  );
});

test("nobody waits for longer than the debt that stands", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6_000 }), calls, (perMinute, wanted) => {
      for (const { waitMs } of begun(perMinute, wanted))
        expect(waitMs).toBeLessThanOrEqual((300 / perMinute) * 60_000 + 1e-6);
    }),
  );
});

test("what one call did not need the next one need not wait for", () => {
  const bucket = new TokenBucket(60, 0);
  bucket.take(61, 0);
  expect(bucket.waitMs(0)).toBe(60_000);
  bucket.take(-50, 0);
  expect(bucket.waitMs(0)).toBe(10_000);
  expect(bucket.waitMs(4_000)).toBe(6_000);
  expect(bucket.waitMs(10_000)).toBe(0);
});
