/**
 * A cache in front of a slow function, which loads each key once.
 * @template V
 * @param {(key: string) => Promise<V>} load
 * @returns {{ get(key: string): Promise<V>, forget(key: string): void }}
 */
export function singleFlight(load) {
  const values = new Map();
  return {
    async get(key) {
      if (!values.has(key)) values.set(key, await load(key));
      return values.get(key);
    },
    forget(key) {
      values.delete(key);
    },
  };
}
