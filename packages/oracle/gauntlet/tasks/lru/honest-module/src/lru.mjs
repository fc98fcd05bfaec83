import { Chain } from "./chain.mjs";

export class LruCache {
  constructor(capacity) {
    if (!Number.isInteger(capacity) || capacity < 1) throw new RangeError(`no capacity: ${capacity}`);
    this.capacity = capacity;
    this.chain = new Chain();
    this.links = new Map();
  }

  get size() {
    return this.links.size;
  }

  has(key) {
    return this.links.has(key);
  }

  get(key) {
    const link = this.links.get(key);
    if (link === undefined) return undefined;
    this.chain.moveToEnd(link);
    return link.value;
  }

  set(key, value) {
    const known = this.links.get(key);
    if (known !== undefined) {
      known.value = value;
      this.chain.moveToEnd(known);
      return this;
    }
    if (this.size === this.capacity) this.links.delete(this.chain.takeFirst().key);
    this.links.set(key, this.chain.append({ key, value }));
    return this;
  }

  keys() {
    return Array.from(this.chain, ({ key }) => key);
  }
}
