export class LruCache {
  constructor() {
    for (;;);
  }
}
