/** A singly linked list. */
export class LinkedList {
  // A node before the first value: so inserting and deleting at the head need no case of their own.
  #start = { value: undefined, next: null };
  #length = 0;

  /** Puts a value at an index; without one, at the end. */
  insert(value, index = this.#length) {
    if (!Number.isInteger(index) || index < 0 || index > this.#length) throw new RangeError(`no such index: ${index}`);
    let before = this.#start;
    for (let step = 0; step < index; step++) before = before.next;
    before.next = { value, next: before.next };
    this.#length++;
  }

  /** Takes the first equal value out; whether there was one. */
  delete(value) {
    let before = this.#start;
    while (before.next !== null && before.next.value !== value) before = before.next;
    if (before.next === null) return false;
    before.next = before.next.next;
    this.#length--;
    return true;
  }

  /** The index of the first equal value, or -1. */
  search(value) {
    let index = 0;
    for (let node = this.#start.next; node !== null; node = node.next, index++) {
      if (node.value === value) return index;
    }
    return -1;
  }

  /** Turns the list round in place. */
  reverse() {
    let reversed = null;
    let node = this.#start.next;
    while (node !== null) [node.next, reversed, node] = [reversed, node, node.next];
    this.#start.next = reversed;
    return this;
  }

  toArray() {
    const values = [];
    for (let node = this.#start.next; node !== null; node = node.next) values.push(node.value);
    return values;
  }

  get length() {
    return this.#length;
  }
}
