export function mean(values) {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

export function median() {
  throw new Error("not implemented");
}

export function quantile() {
  throw new Error("not implemented");
}

export function deviation() {
  throw new Error("not implemented");
}
