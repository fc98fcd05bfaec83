import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type AttemptOrder, checkInput, InvalidInputError, type StepHost, SwarmError } from "@swarm/core";
import type { Delivery } from "./delivery.ts";
import { type AttemptPolicy, HeldAttempt } from "./held-attempt.ts";
import { answerError, answerJson, readJson, tokenOf } from "./http.ts";
import { ASKS, type RequestName } from "./requests.ts";

export type GateOptions = {
  /** Address to listen on. Default `127.0.0.1`, which workers of this machine alone can reach. */
  host?: string;
  /** Default: one that is free. */
  port?: number;
  /** How workers reach the gate, where that is not its address, such as through a proxy that speaks TLS. */
  url?: string;
};

/** One for all attempts. */
export const OVER = new SwarmError("ATTEMPT_OVER", "the attempt is over");

/**
 * The way from workers to the one log. It listens while attempts are out with workers; each has its own token, so a worker reaches
 * the attempt that it was given and no other.
 */
export class Gate {
  readonly #options: GateOptions;
  readonly #held = new Map<string, HeldAttempt>();
  #server: Promise<Server> | null = null;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  async open(
    order: AttemptOrder,
    host: StepHost,
    policy: AttemptPolicy,
  ): Promise<{ attempt: HeldAttempt; delivery: Delivery; close(): void }> {
    this.#server ??= this.#listen();
    const server = await this.#server.catch((error) => {
      this.#server = null;
      throw error;
    });
    const attempt = new HeldAttempt(order, host, policy);
    this.#held.set(attempt.token, attempt);
    server.ref();
    const { runId, stepId, team, timeoutMs } = order.step;
    const delivery: Delivery = {
      id: attempt.id,
      runId,
      stepId,
      attempt: order.attempt,
      team: { name: team.name, version: team.version },
      timeoutMs,
      gate: { url: this.#options.url ?? urlOf(server), token: attempt.token },
    };
    return { attempt, delivery, close: () => this.#forget(attempt, server) };
  }

  /** Stops listening. Workers that are still at it learn that they have to stop. */
  async close(): Promise<void> {
    const server = await this.#server?.catch(() => null);
    this.#server = null;
    server?.close();
    server?.closeAllConnections();
  }

  /** With no attempt out, the gate is no reason for the process to stay; it still tells late workers to stop. */
  #forget(attempt: HeldAttempt, server: Server): void {
    this.#held.delete(attempt.token);
    attempt.stop(OVER); // also answers a beat that waits
    if (this.#held.size === 0) server.unref();
  }

  #dropped(socket: Socket): void {
    for (const attempt of this.#held.values()) if (attempt.connection === socket) attempt.dropped();
  }

  #listen(): Promise<Server> {
    const { host = "127.0.0.1", port = 0, url } = this.#options;
    if (url === undefined && ["0.0.0.0", "::"].includes(host)) {
      return Promise.reject(new InvalidInputError("gate.url", `is missing: ${host} names no machine to workers`));
    }
    const { promise, resolve, reject } = Promise.withResolvers<Server>();
    const server = createServer((request, response) => void this.#answer(request, response));
    server.on("connection", (socket) => {
      socket.unref();
      socket.once("close", () => this.#dropped(socket));
    });
    server.once("error", (cause) =>
      reject(new InvalidInputError("gate", `cannot listen on ${host}:${port} (${cause.message})`, { cause })),
    );
    server.listen(port, host, () => resolve(server));
    return promise;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const name = /^\/v1\/(\w+)$/.exec(request.url ?? "")?.[1] ?? "";
      const attempt = this.#held.get(tokenOf(request));
      if (!attempt) return answerError(response, 410, OVER);
      response.once("close", () => response.writableFinished || attempt.dropped());
      if (name === "take") attempt.connection = request.socket;
      if (!Object.hasOwn(ASKS, name)) return answerError(response, 404, new SwarmError("UNKNOWN_REQUEST", name));
      answerJson(response, 200, { value: await handle(attempt, name as RequestName, await readJson(request)) });
    } catch (error) {
      answerError(response, 409, error);
    }
  }
}

function handle<N extends RequestName>(attempt: HeldAttempt, name: N, body: unknown): Promise<unknown> {
  const ask = checkInput(ASKS[name], body, { root: name, prefix: name });
  return (attempt[name] as (checked: typeof ask) => Promise<unknown>)(ask);
}

function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}
