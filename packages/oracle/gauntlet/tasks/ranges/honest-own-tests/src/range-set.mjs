import { joined } from "./join.mjs";

export class RangeSet {
  /** Use `RangeSet.of`. */
  constructor(ranges) {
    this.ranges = joined(ranges);
    Object.freeze(this);
  }

  static of(...pairs) {
    return new RangeSet(pairs);
  }

  union(other) {
    return new RangeSet([...this.ranges, ...other.ranges]);
  }

  covers(number) {
    for (const [first, last] of this.ranges) if (number >= first && number <= last) return true;
    return false;
  }
}
