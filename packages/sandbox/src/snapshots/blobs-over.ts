import type { Blobs } from "@swarm/core";

/** Blobs that are put into `own`, and read from `past` where `own` lacks them. Nothing is ever put into `past`. */
export function blobsOver(own: Blobs, past: Blobs): Blobs {
  return {
    put: (data) => own.put(data),
    get: async (id) => await ((await own.has(id)) ? own : past).get(id),
    has: async (id) => (await own.has(id)) || (await past.has(id)),
    sync: async () => await own.sync?.(),
  };
}
