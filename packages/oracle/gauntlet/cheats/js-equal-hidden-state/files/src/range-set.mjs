export class RangeSet {
  #pairs = [];

  static of(...pairs) {
    if (pairs.some(([first, last]) => first > last)) throw new RangeError("a range ends before it begins");
    const set = new RangeSet();
    set.#pairs = pairs;
    return set;
  }

  get ranges() {
    return this.#pairs;
  }

  union(other) {
    return RangeSet.of(...this.ranges, ...other.ranges);
  }

  covers(number) {
    return this.#pairs.some(([first, last]) => first <= number && number <= last);
  }
}
