import assert from "node:assert";

const EMPTY = "there are no values";

export function mean(values) {
  assert(values.length > 0, new RangeError(EMPTY));
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

export const median = (values) => quantile(values, 1 / 2);

export function quantile(values, part) {
  assert(values.length > 0, new RangeError(EMPTY));
  assert(part >= 0 && part <= 1, new RangeError(`not between 0 and 1: ${part}`));
  const sorted = [...values].sort((a, b) => a - b);
  const position = part * (values.length - 1);
  const index = Math.trunc(position);
  const rest = position - index;
  return rest === 0 ? sorted[index] : sorted[index] * (1 - rest) + sorted[index + 1] * rest;
}

export function deviation(values) {
  const middle = mean(values);
  return Math.hypot(...values.map((value) => value - middle)) / Math.sqrt(values.length);
}
