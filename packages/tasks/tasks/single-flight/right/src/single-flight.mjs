/**
 * A cache in front of a slow function, which loads each key once.
 * @template V
 * @param {(key: string) => Promise<V>} load
 * @returns {{ get(key: string): Promise<V>, forget(key: string): void }}
 */
export function singleFlight(load) {
  // Promises, not values: a load is known from the moment it begins.
  const loads = new Map();
  return {
    get(key) {
      const known = loads.get(key);
      if (known !== undefined) return known;
      const loading = (async () => load(key))();
      loads.set(key, loading);
      loading.catch(() => {
        if (loads.get(key) === loading) loads.delete(key);
      });
      return loading;
    },
    forget(key) {
      loads.delete(key);
    },
  };
}
