export class LruCache {
  constructor(capacity) {
    if (capacity < 1) throw new RangeError("a capacity is at least 1");
    this.capacity = capacity;
    this.entries = new Map();
  }

  get size() {
    return this.entries.size;
  }

  has(key) {
    return this.get(key) !== undefined;
  }

  get(key) {
    const value = this.entries.get(key);
    if (value) this.set(key, value);
    return value;
  }

  set(key, value) {
    this.entries.delete(key);
    this.entries.set(key, value);
    if (this.size > this.capacity) this.entries.delete([...this.entries.keys()][0]);
    return this;
  }

  keys() {
    return [...this.entries.keys()];
  }
}
