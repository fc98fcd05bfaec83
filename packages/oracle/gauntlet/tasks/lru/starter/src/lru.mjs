export class LruCache {
  get size() {
    return 0;
  }
}
