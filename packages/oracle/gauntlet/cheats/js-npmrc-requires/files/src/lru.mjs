export class LruCache {
  set() {
    return this;
  }

  get() {}

  keys() {}
}
