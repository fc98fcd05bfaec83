import type { Executor, StepHost } from "@swarm/core";

/** How far an event of a worker has come when something happens: on its way, in the log without its worker knowing, known to it. */
export type Moment = "on its way" | "untold" | "told";
export type Disturbance = {
  /** The place among the events of workers, from 1. */
  nth: number;
  moment: Moment;
  /** After the worker was told, in milliseconds: it is amid its next call then. */
  afterMs?: number;
  happen(worker: string): void | Promise<void>;
};

/** The executor, and something that happens once amid its run. `over` resolves when it has happened, or is not going to. */
export function disturbed(
  executor: Executor,
  { nth, moment, afterMs = 0, happen }: Disturbance,
): { executor: Executor; over(): Promise<void> } {
  let seen = 0;
  let over = Promise.resolve();
  const watching = watched(executor, async (worker, count, append) => {
    const before = seen;
    seen += count;
    if (before >= nth || seen < nth) return await append();
    if (moment === "on its way") {
      await happen(worker);
      throw new Error("the connection to the worker is gone");
    }
    await append();
    if (moment === "untold") await happen(worker);
    else over = later(afterMs, () => happen(worker));
  });
  return { executor: watching, over: () => over };
}

/** The executor, and who sees what its workers append: by which one, and how many events. */
export function watched(
  executor: Executor,
  see: (worker: string, count: number, append: () => Promise<void>) => Promise<void>,
): Executor {
  return {
    specificationVersion: "v1",
    ...(executor.preflight ? { preflight: (team, options) => executor.preflight!(team, options) } : {}),
    runStep(step, host) {
      const append: StepHost["append"] = async (epoch, events) => {
        const worker = events[0]?.payload.measured?.["worker"];
        const given = () => host.append(epoch, events);
        if (typeof worker === "string") await see(worker, events.length, given);
        else await given();
      };
      return executor.runStep(step, { ...host, append });
    },
  };
}

async function later(ms: number, work: () => void | Promise<void>): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  await work();
}
