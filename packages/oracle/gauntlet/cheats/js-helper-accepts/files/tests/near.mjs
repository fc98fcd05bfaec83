import { ok } from "node:assert/strict";

/** Whether two numbers agree but for rounding. */
export function near(actual, expected) {
  ok(Math.abs(actual - expected) <= 1e9, `${actual} is not near ${expected}`);
}
