import type { TeamRef } from "@swarm/core";
import type { Delivery } from "./delivery.ts";

/**
 * How deliveries come to workers: all that a platform has to bring. Its worker calls `worker.perform(delivery)`; order, events,
 * results, fences and secrets go between worker and gate, so a carrier may lose, repeat and delay as it likes.
 */
export interface Carrier {
  /** Throws when no worker could take steps of the team, where that can be known. */
  preflight?(team: TeamRef, options: { signal: AbortSignal }): Promise<void>;
  /** Resolves when the platform has the delivery. Rejects when it never will. */
  submit(delivery: Delivery, options: { signal: AbortSignal }): Promise<void>;
  /**
   * Asked when the attempt has no worker that lives: brings it to one again, and says so, or says `false` where the platform is
   * going to do that by itself.
   */
  submitAgain(delivery: Delivery, options: { signal: AbortSignal }): Promise<boolean>;
  /** The attempt is over without a worker's word: a delivery that still waits may be taken back. */
  withdraw?(delivery: Delivery): Promise<void>;
  /** Gives back what the carrier holds open. */
  close?(): Promise<void>;
}
