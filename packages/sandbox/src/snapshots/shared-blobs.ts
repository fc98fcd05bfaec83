import { type BlobId, type Blobs, SandboxError } from "@swarm/core";

/** Of how many blobs it is remembered that the shared store has them. */
const REMEMBERED = 100_000;

/**
 * Blobs of this machine that others can get too: what is put is put into `shared` as well, before it is said to be there, and
 * what is not here is got from there once. Nothing goes where it is already.
 */
export function sharedBlobs(own: Blobs, shared: Blobs): Blobs {
  const there = new Map<BlobId, Promise<void>>();

  async function bring(id: BlobId, data: string | Uint8Array): Promise<void> {
    if (await shared.has(id)) return;
    const put = await shared.put(data);
    if (put !== id) throw new SandboxError(`the shared store took blob ${id} for ${put}`);
  }

  return {
    async put(data) {
      const id = await own.put(data);
      if (there.size > REMEMBERED) there.clear();
      const brought = there.get(id) ?? bring(id, data);
      there.set(id, brought);
      await brought.catch((error) => {
        there.delete(id);
        throw error;
      });
      return id;
    },
    async get(id) {
      if (await own.has(id)) return await own.get(id);
      const bytes = await shared.get(id);
      const put = await own.put(bytes);
      if (put !== id) throw new SandboxError(`blob ${id} is damaged: the shared store gives the bytes of ${put}`);
      there.set(id, Promise.resolve());
      return bytes;
    },
    has: async (id) => (await own.has(id)) || (await shared.has(id)),
    sync: async () => void (await Promise.all([own.sync?.(), shared.sync?.()])),
  };
}
