import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { checkInput, InvalidInputError, SwarmError } from "@swarm/core";
import { DeliverySchema } from "../remote/delivery.ts";
import { answerError, answerJson, readJson, requireToken, sameToken, tokenOf } from "../remote/http.ts";
import type { Worker } from "./create-worker.ts";

export type ListenOptions = {
  /** Default `127.0.0.1`. On any other address a token is required. */
  host?: string;
  /** Default: one that is free. */
  port?: number;
  /** What who brings attempts has to know: 16 characters or more. Default: none, on this machine alone. */
  token?: string;
};

export type ListeningWorker = {
  readonly url: string;
  /** Takes nothing more, lets what is under way end as {@link Worker.drain} does, and stops listening. */
  close(options?: { graceMs?: number }): Promise<void>;
};

const WRONG_TOKEN =
  "the worker's token is missing or wrong; with the swarm command SWARM_WORKER_TOKEN has to be the same for worker and run";

/** Lets a worker be brought attempts by HTTP, from an {@link httpExecutor}. */
export async function listen(worker: Worker, options: ListenOptions = {}): Promise<ListeningWorker> {
  const { host = "127.0.0.1", port = 0, token = null } = options;
  requireToken(host, token, "token");
  const server = createServer((request, response) => void answer(request, response));
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", (cause) =>
    reject(new InvalidInputError("port", `cannot listen on ${host}:${port} (${cause.message})`, { cause })),
  );
  server.listen(port, host, resolve);
  await promise;
  const { address, family, port: bound } = server.address() as AddressInfo;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      if (token !== null && !sameToken(tokenOf(request), token))
        return answerError(response, 401, new SwarmError("UNAUTHORIZED", WRONG_TOKEN));
      const at = `${request.method} ${request.url}`;
      if (at === "GET /v1/worker") return answerJson(response, 200, worker.abilities());
      if (at !== "POST /v1/deliveries")
        return answerError(response, 404, new SwarmError("UNKNOWN_REQUEST", `there is no ${at}`));
      const delivery = checkInput(DeliverySchema, await readJson(request), { root: "delivery" });
      const { draining, running, concurrency } = worker.abilities();
      if (draining || running >= concurrency)
        return answerError(response, 503, new SwarmError("WORKER_BUSY", `worker ${worker.id} takes nothing now`));
      void worker.perform(delivery).catch(() => {}); // the gate misses it, and has it brought to another worker
      answerJson(response, 202, { worker: worker.id });
    } catch (error) {
      answerError(response, 400, error);
    }
  }

  return {
    url: `http://${family === "IPv6" ? `[${address}]` : address}:${bound}`,
    async close(grace) {
      await worker.drain(grace);
      server.close();
      server.closeAllConnections();
    },
  };
}
