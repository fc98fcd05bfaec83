import { setTimeout } from "node:timers/promises";
import { abortReason, asJson, messageOf, SwarmError } from "@swarm/core";
import { errorOf } from "./protocol.ts";
import type { Carrier } from "./remote/carrier.ts";
import type { Delivery } from "./remote/delivery.ts";
import { errorIn, sendJson } from "./remote/http.ts";
import { RemoteExecutor, type RemoteOptions } from "./remote/remote-executor.ts";
import { requireServed } from "./remote/require-served.ts";
import type { WorkerAbilities } from "./worker/create-worker.ts";

export type HttpExecutorOptions = RemoteOptions & {
  /** Workers that listen, with the token of each that has one. */
  workers: readonly { url: string; token?: string }[];
  /** How long an attempt waits while no worker takes it, or can begin it. Default 60,000. */
  patienceMs?: number;
};

const ANSWER_MS = 2_000;
const PAUSE_MS = 50;

/** Brings attempts straight to workers that listen, in turn: no platform between them. */
export function httpExecutor({ workers, patienceMs = 60_000, ...options }: HttpExecutorOptions): RemoteExecutor {
  return new RemoteExecutor(httpCarrier(workers, patienceMs), { patienceMs, ...options });
}

type Address = HttpExecutorOptions["workers"][number];

function httpCarrier(workers: readonly Address[], patienceMs: number): Carrier {
  let turn = 0;
  const inTurn = () => workers.map((_, index) => workers[(turn + index) % workers.length]!);

  async function submit(delivery: Delivery, { signal }: { signal: AbortSignal }): Promise<void> {
    const giveUpAt = performance.now() + patienceMs;
    for (;;) {
      const refusals: string[] = [];
      for (const worker of inTurn()) {
        turn += 1;
        const refusal = await bring(delivery, worker, signal);
        if (refusal === null) return;
        refusals.push(`${worker.url}: ${refusal}`);
      }
      if (signal.aborted) throw abortReason(signal);
      if (performance.now() > giveUpAt)
        throw new SwarmError("WORKER_LOST", `no worker took ${delivery.stepId}: ${refusals.join("; ")}`);
      await setTimeout(PAUSE_MS, undefined, { signal }).catch(() => {});
    }
  }

  return {
    submit,
    async submitAgain(delivery, options) {
      await submit(delivery, options);
      return true;
    },
    async preflight(team, { signal }) {
      const abilities = await Promise.all(workers.map((worker) => ask(worker, signal)));
      const problems = abilities.filter((one) => typeof one === "string");
      if (problems.length === workers.length) {
        const wanted = `the run is for ${team.name} ${team.version}`;
        const problem = `no worker answers (${problems.join("; ")}), and ${wanted}; start one there, such as by swarm worker`;
        throw new SwarmError("NO_WORKER", problem);
      }
      requireServed(
        team,
        abilities.flatMap((one) => (typeof one === "string" ? [] : one.teams)),
        problems,
      );
    },
  };
}

/** Null where the worker took it, else why not. */
async function bring(delivery: Delivery, { url, token }: Address, signal: AbortSignal): Promise<string | null> {
  try {
    const body = asJson(delivery);
    const answer = await sendJson("POST", `${url}/v1/deliveries`, {
      token: token ?? null,
      body,
      timeoutMs: ANSWER_MS,
      signal,
    });
    return answer.status === 202 ? null : (errorIn(answer.body)?.message ?? `answered with status ${answer.status}`);
  } catch (error) {
    return messageOf(error);
  }
}

/** What a worker says of itself, or why it says nothing. */
async function ask({ url, token }: Address, signal: AbortSignal): Promise<WorkerAbilities | string> {
  try {
    const { status, body } = await sendJson("GET", `${url}/v1/worker`, {
      token: token ?? null,
      timeoutMs: ANSWER_MS,
      signal,
    });
    const error = errorIn(body);
    if (status === 200) return body as WorkerAbilities;
    return `${url}: ${error ? errorOf(error).message : `answered with status ${status}`}`;
  } catch (error) {
    return `${url}: ${messageOf(error)}`;
  }
}
