/** A singly linked list. */
export class LinkedList {
  #head = null;
  #length = 0;

  insert(value, index = this.#length) {
    if (index < 0 || index > this.#length) throw new RangeError(`no such index: ${index}`);
    if (index === 0) {
      this.#head = { value, next: this.#head };
    } else {
      let node = this.#head;
      for (let step = 1; step < index; step++) node = node.next;
      node.next = { value, next: node.next };
    }
    this.#length++;
  }

  delete(value) {
    let node = this.#head;
    while (node.next.value !== value) node = node.next;
    node.next = node.next.next;
    this.#length--;
    return true;
  }

  search(value) {
    return this.toArray().indexOf(value);
  }

  reverse() {
    let reversed = null;
    for (let node = this.#head; node !== null; node = node.next) reversed = { value: node.value, next: reversed };
    this.#head = reversed;
    return this;
  }

  toArray() {
    const values = [];
    for (let node = this.#head; node !== null; node = node.next) values.push(node.value);
    return values;
  }

  get length() {
    return this.#length;
  }
}
