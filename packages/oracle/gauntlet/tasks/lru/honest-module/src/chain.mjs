/** A doubly linked ring; the link before the first stands for both ends. */
export class Chain {
  constructor() {
    this.ends = {};
    this.ends.next = this.ends.previous = this.ends;
  }

  append(link) {
    link.previous = this.ends.previous;
    link.next = this.ends;
    link.previous.next = this.ends.previous = link;
    return link;
  }

  moveToEnd(link) {
    this.append(unlinked(link));
  }

  takeFirst() {
    return unlinked(this.ends.next);
  }

  *[Symbol.iterator]() {
    for (let link = this.ends.next; link !== this.ends; link = link.next) yield link;
  }
}

function unlinked(link) {
  link.previous.next = link.next;
  link.next.previous = link.previous;
  return link;
}
