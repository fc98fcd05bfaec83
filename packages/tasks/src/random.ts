import { createHash } from "node:crypto";

/** Numbers that follow from a text alone, so that they are the same in any process. */
export interface Random {
  /** A whole number from 0 to below `limit`. */
  below(limit: number): number;
  /** True in `percent` of 100 cases. */
  chance(percent: number): boolean;
  pick<T>(items: readonly T[]): T;
}

export function randomOf(seed: string): Random {
  let drawn = 0;
  const draw = () => createHash("sha256").update(`${drawn++}|${seed}`).digest().readUInt32BE() / 2 ** 32;
  const below = (limit: number) => Math.floor(draw() * limit);
  return {
    below,
    chance: (percent) => draw() * 100 < percent,
    pick: (items) => {
      if (items.length === 0) throw new RangeError("nothing to pick from");
      return items[below(items.length)] as (typeof items)[number];
    },
  };
}
