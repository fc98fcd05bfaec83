export class RangeSet {
  constructor(ranges) {
    this.ranges = ranges;
  }

  static of(...pairs) {
    const ranges = [];
    for (const [first, last] of pairs.sort()) {
      if (last < first) throw new RangeError("a range ends before it begins");
      const before = ranges.at(-1);
      if (before && first <= before[1] + 1) before[1] = last;
      else ranges.push([first, last]);
    }
    return new RangeSet(ranges);
  }

  union(other) {
    return RangeSet.of(...this.ranges, ...other.ranges);
  }

  covers(number) {
    return this.ranges.some(([first, last]) => first <= number && number <= last);
  }
}
