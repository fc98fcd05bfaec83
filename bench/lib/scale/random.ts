/** Draws that a seed decides. */
export type Random = {
  /** From 0 to below 1. */
  uniform(): number;
  exponential(mean: number): number;
  /** At least 1: one, and a Poisson number with the rest of the mean. */
  count(mean: number): number;
};

/** A 32-bit mix of a counter (Tommy Ettinger's mulberry32): quick, and good enough to draw times from. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    uniform,
    exponential: (mean) => -Math.log(1 - uniform()) * mean,
    count(mean) {
      const least = Math.exp(1 - mean);
      let count = 1;
      for (let product = uniform(); product > least; product *= uniform()) count += 1;
      return count;
    },
  };
}
