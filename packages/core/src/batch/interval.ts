/** A share of successes, with the interval that holds the true one in 95 of 100 cases. */
export type Rate = { rate: number; low: number; high: number };

/** The standard normal distribution's 97.5th percentile. */
const Z = 1.959964;

/** Wilson's score interval (E. B. Wilson, 1927), which is sound for few runs and for rates near 0 and 1. Null for no runs. */
export function rateOf(successes: number, runs: number): Rate | null {
  if (runs === 0) return null;
  const rate = successes / runs;
  const weight = 1 + Z ** 2 / runs;
  const centre = (rate + Z ** 2 / (2 * runs)) / weight;
  const half = (Z / weight) * Math.sqrt((rate * (1 - rate)) / runs + Z ** 2 / (4 * runs ** 2));
  // at the ends the bound is exact, and must not be off by rounding
  return { rate, low: successes === 0 ? 0 : centre - half, high: successes === runs ? 1 : centre + half };
}
