import { EventEmitter } from "eventemitter3";
import type { EventKind, RunEvent } from "../contracts/event.ts";
import { messageOf } from "../errors.ts";
import { Wake } from "../wake.ts";

export type RunListener = (event: RunEvent) => unknown;

/** The live view of a run's log. A listener that throws hurts only itself: it goes on being called. */
export class EventStream {
  readonly #emitter = new EventEmitter<Record<EventKind | "event", [RunEvent]>>();
  readonly #events: RunEvent[] = [];
  readonly #failed = new Set<RunListener>();
  readonly #changes = new Wake();
  #end: { error?: unknown } | null = null;

  /** Told of the first error of each listener. */
  onListenerError: (message: string) => void = () => {};

  push(event: RunEvent): void {
    this.#events.push(event);
    this.#emitter.emit(event.kind, event);
    this.#emitter.emit("event", event);
    this.#changes.wake();
  }

  /** Ends every iterator after the events so far, with the error if there is one. */
  end(end: { error?: unknown }): void {
    this.#end = end;
    this.#changes.wake();
    this.#emitter.removeAllListeners();
  }

  on(kind: EventKind | "event", listener: RunListener): () => void {
    const fail = (error: unknown) => {
      if (this.#failed.has(listener)) return;
      this.#failed.add(listener);
      queueMicrotask(() => this.onListenerError(messageOf(error))); // not amid the event that it is about
    };
    const guarded = (event: RunEvent) => {
      try {
        Promise.resolve(listener(event)).catch(fail);
      } catch (error) {
        fail(error);
      }
    };
    this.#emitter.on(kind, guarded);
    return () => void this.#emitter.off(kind, guarded);
  }

  /** All events from the first, then live ones. */
  async *iterate(): AsyncGenerator<RunEvent, void, undefined> {
    for (let next = 0; ; ) {
      while (next < this.#events.length) yield this.#events[next++]!;
      if (this.#end) {
        if ("error" in this.#end) throw this.#end.error;
        return;
      }
      await this.#changes.next;
    }
  }
}
