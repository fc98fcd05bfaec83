export class RangeSet {
  static of() {
    throw new Error("not implemented");
  }
}
