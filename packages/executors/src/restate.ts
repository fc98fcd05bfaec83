import { randomUUID } from "node:crypto";
import { createServer, type ServerHttp2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import {
  abortReason,
  checkInput,
  InvalidInputError,
  type Json,
  messageOf,
  SwarmError,
  type TeamRef,
} from "@swarm/core";
import { loadClient } from "./load-client.ts";
import type { Carrier } from "./remote/carrier.ts";
import { type Delivery, DeliverySchema } from "./remote/delivery.ts";
import { isLoopback } from "./remote/http.ts";
import { RemoteExecutor, type RemoteOptions } from "./remote/remote-executor.ts";
import { requireServed } from "./remote/require-served.ts";
import type { Worker, WorkerAbilities } from "./worker/create-worker.ts";

/** Above the longest step: Restate begins a step again that says nothing to it for longer, for ever, and at the user's expense. */
const LONGEST_STEP_MS = 24 * 60 * 60_000;
/** How long a submission that is sent again is known: an executor does so at once, or never. */
const RETENTION_MS = 10 * 60_000;
const DEFAULT_SERVICE = "swarm";
const ANSWER_MS = 10_000;
/** How long a worker may take to say what it serves. */
const ABILITIES_MS = 3_000;
/** How long a server is waited for that was there and is gone, such as one that is replaced. */
const PATIENCE_MS = 60_000;
const PAUSE_MS = 200;

/** Loaded by who uses it: to import this module does nothing. */
const load = () => loadClient("@restatedev/restate-sdk", () => import("@restatedev/restate-sdk"));

export type RestateOptions = {
  /** Restate's ingress, such as `http://127.0.0.1:8080`. */
  url: string;
  /** The name of the workers' service: workers of different teams or versions are told apart by it. Default `swarm`. */
  service?: string;
  /** Sent with each request, such as what an ingress in the cloud asks for. Default: nothing. */
  headers?: Readonly<Record<string, string>>;
};

/** Brings attempts to workers by Restate. `close` it when no run uses it any more. */
export function restateExecutor({ url, service, headers, ...options }: RestateOptions & RemoteOptions): RemoteExecutor {
  return new RemoteExecutor(restateCarrier(url.replace(/\/$/, ""), service ?? DEFAULT_SERVICE, headers ?? {}), options);
}

type Ask = { method: string; headers?: Record<string, string>; body?: string; signal: AbortSignal };

function restateCarrier(url: string, service: string, headers: Readonly<Record<string, string>>): Carrier {
  const invocations = new WeakMap<Delivery, { id: string; submissions: number }>();
  const me = randomUUID();
  let wasThere = false;

  /** To begin with there has to be a server; one that goes away later is waited for. */
  async function ask(path: string, { signal, ...init }: Ask): Promise<Response> {
    const given = { "content-type": "application/json", ...headers, ...init.headers };
    const giveUpAt = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        const within = AbortSignal.any([AbortSignal.timeout(ANSWER_MS), signal]);
        const answer = await fetch(`${url}${path}`, { ...init, headers: given, signal: within });
        wasThere ||= answer.status < 500;
        if (answer.status < 500 || !wasThere || performance.now() > giveUpAt) return answer;
        await answer.body?.cancel();
      } catch (cause) {
        if (signal.aborted) throw abortReason(signal);
        if (!wasThere || performance.now() > giveUpAt) {
          const problem = `Restate cannot be reached at ${url} (${reasonOf(cause)}); start a server there`;
          throw new SwarmError("PLATFORM_FAILED", problem, { cause });
        }
      }
      await setTimeout(PAUSE_MS, undefined, { signal }).catch(() => {});
    }
  }

  async function submit(delivery: Delivery, { signal }: { signal: AbortSignal }): Promise<void> {
    if (delivery.timeoutMs > LONGEST_STEP_MS)
      throw new InvalidInputError(
        "timeoutMs",
        `of ${delivery.stepId} is over Restate's limit of ${LONGEST_STEP_MS} ms`,
      );
    const { submissions } = invocations.get(delivery) ?? { submissions: 0 };
    // a step has one writer at a time, and a submission that is sent again is the same one
    const key = encodeURIComponent(`${delivery.runId}/${delivery.stepId}`);
    const answer = await ask(`/${service}/${key}/perform/send`, {
      method: "POST",
      headers: { "idempotency-key": `${delivery.id}-${submissions}` },
      body: JSON.stringify(delivery),
      signal,
    });
    const { invocationId, message } = (await answer.json()) as { invocationId?: string; message?: string };
    if (invocationId === undefined)
      throw new SwarmError(
        "PLATFORM_FAILED",
        `Restate does not take an attempt: ${message ?? `status ${answer.status}`}`,
      );
    invocations.set(delivery, { id: invocationId, submissions: submissions + 1 });
  }

  /** What one of the workers serves that were registered last: asked under one key, so that at most one question stays unanswered. */
  async function served({ name, version }: TeamRef, signal: AbortSignal): Promise<WorkerAbilities["teams"]> {
    const wanted = `the run is for ${name} ${version}`;
    const timely = AbortSignal.any([signal, AbortSignal.timeout(ABILITIES_MS)]);
    const asked = { method: "POST", headers: { "idempotency-key": me }, body: "null", signal: timely };
    const answer = await ask(`/${service}/abilities/abilities`, asked).catch((error) => {
      if (!timely.aborted || signal.aborted) throw error;
      const problem = `the workers that are registered with Restate at ${url} as ${service} do not answer; ${wanted}`;
      throw new SwarmError("NO_WORKER", problem);
    });
    const told = (await answer.json()) as Partial<WorkerAbilities> & { message?: string };
    if (told.teams) return told.teams;
    const problem = `no worker is registered with Restate at ${url} (${told.message ?? `status ${answer.status}`}), and ${wanted}; start one, such as by swarm worker --by restate, and register it`;
    throw new SwarmError("NO_WORKER", problem);
  }

  return {
    async preflight(team, { signal }) {
      await ask("/restate/health", { method: "GET", signal });
      requireServed(team, await served(team, signal));
    },
    submit,
    /** Restate brings an invocation again whose worker was lost. Only one that has ended is sent anew. */
    async submitAgain(delivery, { signal }) {
      const id = invocations.get(delivery)?.id;
      const { status } = await ask(`/restate/invocation/${id}/output`, { method: "GET", signal });
      if (status === NOT_READY) return false;
      await submit(delivery, { signal });
      return true;
    },
  };
}

/** What a `fetch` that failed says is in its cause. */
function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: unknown };
  return messageOf(cause instanceof Error ? cause : error);
}

/** What Restate answers for the output of an invocation that is under way. */
const NOT_READY = 470;

export type RestateWorkerOptions = {
  /** Default `swarm`. */
  service?: string;
  /** Default `127.0.0.1`. On any other address `identityKeys` are required. */
  host?: string;
  /** Default 9080, which is Restate's. */
  port?: number;
  /** Lets several workers of a machine share the port. Default false. */
  reusePort?: boolean;
  /** Public keys of the Restate environments that may give this worker work: `publickeyv1_…`. Default: none. */
  identityKeys?: readonly string[];
};

/** Lets a worker be given attempts by a Restate server, which has to be told its address once. Resolves when it listens. */
export async function serveRestate(
  worker: Worker,
  {
    service = DEFAULT_SERVICE,
    host = "127.0.0.1",
    port = 9080,
    reusePort = false,
    identityKeys = [],
  }: RestateWorkerOptions = {},
): Promise<{ url: string; close(options?: { graceMs?: number }): Promise<void> }> {
  if (identityKeys.length === 0 && !isLoopback(host))
    throw new InvalidInputError("identityKeys", `are missing: on ${host} others can reach the worker`);
  const { createEndpointHandler, handlers, object, TerminalError } = await load();
  const final = (message: string) => new TerminalError(message);
  const sessions = new Set<ServerHttp2Session>();
  /** Restate keeps one connection, and would come here again: a new one may lead to another worker at this address. */
  const leave = () => {
    for (const session of sessions) session.close();
  };
  const attempts = object({
    name: service,
    handlers: {
      perform: handlers.object.exclusive(
        { inactivityTimeout: LONGEST_STEP_MS, abortTimeout: LONGEST_STEP_MS, idempotencyRetention: RETENTION_MS },
        async (context, data: Json) => {
          const { attemptCompletedSignal: signal } = context.request();
          await context.run("perform", () => perform(worker, data, { signal, final, leave }), {
            initialRetryInterval: 100,
            maxRetryInterval: 1_000,
          });
        },
      ),
      abilities: handlers.object.shared(async () => worker.abilities()),
    },
  });
  const handler = createEndpointHandler({
    services: [attempts],
    identityKeys: [...identityKeys],
    logger() {}, // what a run did is in its log
  });
  // Restate opens a further connection where one is full, and so comes to a further worker behind the same address
  const server = createServer({ settings: { maxConcurrentStreams: worker.abilities().concurrency } }, handler);
  server.on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", (cause) =>
    reject(new InvalidInputError("port", `cannot listen on ${host}:${port} (${cause.message})`, { cause })),
  );
  server.listen({ host, port, reusePort }, resolve);
  await promise;
  const { address, port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${address.includes(":") ? `[${address}]` : address}:${bound}`,
    async close(options) {
      server.close();
      for (const session of sessions) session.close(); // what is under way may end, and nothing new begins on it
      await worker.drain(options);
      for (const session of sessions) session.destroy();
    },
  };
}

async function perform(
  worker: Worker,
  data: Json,
  { signal, final, leave }: { signal: AbortSignal; final(message: string): Error; leave(): void },
): Promise<void> {
  try {
    await worker.perform(checkInput(DeliverySchema, data, { root: "delivery" }), { signal });
  } catch (error) {
    const { code } = error as Partial<SwarmError>;
    if (code?.startsWith("WORKER_")) {
      if (!signal.aborted) leave(); // else the connection is gone already
      throw error; // for another worker, or later
    }
    throw final(messageOf(error)); // the run's process is gone, or it is no delivery
  }
}
