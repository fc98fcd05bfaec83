export class RangeSet {
  static of() {
    return new RangeSet();
  }

  union() {
    return this;
  }

  covers() {
    return true;
  }
}
