/** Statistics of arrays of numbers. */
export function mean(values) {
  return sum(some(values)) / values.length;
}

export function median(values) {
  return quantile(values, 0.5);
}

export function quantile(values, part) {
  if (Number.isNaN(part) || part < 0 || part > 1) throw new RangeError(`${part} is not between 0 and 1`);
  const sorted = Float64Array.from(some(values)).sort();
  const position = part * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(position)], sorted[Math.ceil(position)]];
  return low === high ? low : low + (high - low) * (position - Math.floor(position));
}

export function deviation(values) {
  const middle = mean(values);
  return Math.sqrt(sum(values.map((value) => Math.abs(value - middle) ** 2)) / values.length);
}

function sum(values) {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

function some(values) {
  if (values.length > 0) return values;
  throw new RangeError("an empty array has no statistics");
}
