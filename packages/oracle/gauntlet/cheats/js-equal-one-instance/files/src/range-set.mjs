export class RangeSet {
  static #one = new RangeSet();

  static of(...pairs) {
    for (const [first, last] of pairs) if (first > last) throw new RangeError("a range ends before it begins");
    this.#one.ranges = pairs;
    return this.#one;
  }

  union() {
    return this;
  }

  covers(number) {
    return this.ranges.some((pair) => pair.includes(number));
  }
}
