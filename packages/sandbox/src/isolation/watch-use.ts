import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads";
import type { Watched } from "./use.ts";

/** What the thread is told: to begin to watch, or without `watched` to end. */
export type Order = { id: number; watched?: Watched };
/** What it tells. */
export type Found = { id: number; excess: string };

export type Watcher = {
  /** Watches a command until the function that it gives is called, which tells what there was too much of, or null. */
  watch(watched: Watched): () => string | null;
};

const THREAD = new URL(import.meta.url.endsWith(".ts") ? "./watcher.ts" : "./isolation/watcher.js", import.meta.url);
let only: Watcher | undefined;

/** The one watcher of this process, a thread of its own, which does not keep the process alive. Begins with the first call. */
export function watcher(): Watcher {
  only ??= startWatcher();
  return only;
}

function startWatcher(): Watcher {
  const { port1: found, port2 } = new MessageChannel();
  const thread = new Worker(THREAD, { workerData: port2, transferList: [port2], env: {}, execArgv: [] });
  thread.unref();
  const tell = (order: Order) => thread.postMessage(order);
  const watches = new Map<number, string | null>();
  let made = 0;
  return {
    watch(watched) {
      made += 1;
      const id = made;
      watches.set(id, null);
      tell({ id, watched });
      return () => {
        for (let next = receiveMessageOnPort(found); next; next = receiveMessageOnPort(found)) {
          const { id, excess }: Found = next.message;
          if (watches.has(id)) watches.set(id, excess);
        }
        tell({ id });
        const excess = watches.get(id) ?? null;
        watches.delete(id);
        return excess;
      };
    },
  };
}
