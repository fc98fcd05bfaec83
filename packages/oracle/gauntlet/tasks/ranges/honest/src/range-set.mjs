export class RangeSet {
  constructor(ranges) {
    this.ranges = ranges;
  }

  static of(...pairs) {
    for (const [first, last] of pairs) {
      if (last < first) throw new RangeError(`a range cannot end at ${last} and begin at ${first}`);
    }
    const ranges = [];
    for (const [first, last] of pairs.toSorted(([a], [b]) => a - b)) {
      const before = ranges.at(-1);
      if (before !== undefined && first <= before[1] + 1) before[1] = Math.max(before[1], last);
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
