import { Interrupted, isReported } from "./provider-fault.ts";

type Event = { type: string };

/**
 * All events of a streamed answer. An error that the provider reports before the answer began is thrown as it is: it
 * equals an error status. Any later one is {@link Interrupted}: a lost connection may be tried again, but an answer that
 * the provider itself broke off, and has billed, is not asked for again blindly. Whether the last event is the one that
 * ends an answer is for the caller to check.
 */
export async function readEvents<E extends Event>(
  stream: AsyncIterable<E>,
  is: { begun(event: E): boolean; ended(event: E): boolean },
): Promise<E[]> {
  const events: E[] = [];
  try {
    for await (const event of stream) events.push(event);
  } catch (error) {
    if (events.some(is.ended)) return events;
    const reported = isReported(error);
    if (reported && !events.some(is.begun)) throw error;
    throw new Interrupted(error instanceof Error ? error.message : String(error), {
      cause: error,
      retryable: !reported,
    });
  }
  return events;
}
