/** A singly linked list. */
export class LinkedList {
  insert(_value, _index) {
    throw new Error("not implemented");
  }

  delete(_value) {
    throw new Error("not implemented");
  }

  search(_value) {
    throw new Error("not implemented");
  }

  reverse() {
    throw new Error("not implemented");
  }

  toArray() {
    throw new Error("not implemented");
  }

  get length() {
    throw new Error("not implemented");
  }
}
