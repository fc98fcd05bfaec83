/**
 * A cache in front of a slow function, which loads each key once.
 * @template V
 * @param {(key: string) => Promise<V>} load
 * @returns {{ get(key: string): Promise<V>, forget(key: string): void }}
 */
export function singleFlight(_load) {
  throw new Error("not implemented");
}
