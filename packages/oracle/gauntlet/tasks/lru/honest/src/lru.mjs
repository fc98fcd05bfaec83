export class LruCache {
  #capacity;
  #entries = new Map();

  constructor(capacity) {
    if (!Number.isInteger(capacity) || capacity < 1) throw new RangeError("a capacity is a whole number from 1");
    this.#capacity = capacity;
  }

  get size() {
    return this.#entries.size;
  }

  has(key) {
    return this.#entries.has(key);
  }

  get(key) {
    if (!this.#entries.has(key)) return undefined;
    const value = this.#entries.get(key);
    this.set(key, value);
    return value;
  }

  set(key, value) {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.size > this.#capacity) this.#entries.delete(this.#entries.keys().next().value);
    return this;
  }

  keys() {
    return [...this.#entries.keys()];
  }
}
