export function mean(values) {
  return refuseEmpty(values).reduce((sum, value) => sum + value, 0) / values.length;
}

export function median(values) {
  return quantile(values, 0.5);
}

export function quantile(values, part) {
  if (!(part >= 0 && part <= 1)) throw new RangeError(`a quantile lies between 0 and 1, not at ${part}`);
  const sorted = refuseEmpty(values).toSorted((a, b) => a - b);
  const position = part * (sorted.length - 1);
  const below = sorted[Math.floor(position)];
  const above = sorted[Math.ceil(position)];
  return below + (above - below) * (position % 1);
}

export function deviation(values) {
  const middle = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - middle) ** 2)));
}

function refuseEmpty(values) {
  if (values.length === 0) throw new RangeError("there are no values");
  return values;
}
