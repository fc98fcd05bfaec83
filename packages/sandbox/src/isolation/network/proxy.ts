import { once } from "node:events";
import type { IncomingMessage, Server } from "node:http";
import { connect, isIP, type Socket } from "node:net";
import { messageOf } from "@swarm/core";
import { type AllowedHost, isAllowed, isPublic } from "./allow-list.ts";

const MOST_CONNECTIONS = 100;
const CONNECT_TIMEOUT_MS = 10_000;

export type HttpsProxy = {
  /** Ends its connections too. */
  close(): void;
};

/**
 * Listens on a Unix socket for HTTP `CONNECT`, and connects to what the list allows and to nothing else. It looks names up
 * itself and connects to the address that it has judged. What goes through is not looked at. Keeps no process alive.
 */
export async function startProxy(socket: string, list: readonly AllowedHost[]): Promise<HttpsProxy> {
  const { createServer } = await import("node:http"); // Which takes longer to load than all of this package.
  const server = createServer((_, response) => {
    response.writeHead(405, { connection: "close" }).end("Only HTTPS is let through, by CONNECT.\n");
  });
  const open = new Set<Socket>();
  server.maxConnections = MOST_CONNECTIONS;
  server.on("connect", async (request: IncomingMessage, client: Socket) => {
    keep(open, client);
    try {
      const [host, port] = targetOf(request);
      const upstream = connect({ host: await addressOf(list, host, port), port, timeout: CONNECT_TIMEOUT_MS });
      keep(open, upstream);
      upstream.once("timeout", () => upstream.destroy());
      await once(upstream, "connect");
      upstream.setTimeout(0);
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      client.pipe(upstream).pipe(client);
      client.once("close", () => upstream.destroy());
      upstream.once("close", () => client.destroy());
    } catch (error) {
      const [status, why] =
        error instanceof Refusal ? ["403 Forbidden", error.message] : ["502 Bad Gateway", messageOf(error)];
      client.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n${why}\n`);
    }
  });
  await listening(server, socket);
  return {
    close() {
      server.close();
      for (const one of open) one.destroy();
    },
  };
}

class Refusal extends Error {}

function targetOf({ url = "" }: IncomingMessage): [host: string, port: number] {
  const [, host, port] = /^([^:[\]/@]+):(\d{1,5})$/.exec(url) ?? [];
  if (host === undefined) throw new Refusal(`${JSON.stringify(url)} is no host and port`);
  return [host, Number(port)];
}

async function addressOf(list: readonly AllowedHost[], host: string, port: number): Promise<string> {
  if (!isAllowed(list, host, port)) throw new Refusal(`${host}:${port} is not on the list of this sandbox's network`);
  if (isIP(host) !== 0) return host;
  const { lookup } = await import("node:dns/promises"); // Which opens a channel as soon as it is loaded.
  const found = await lookup(host, { all: true });
  const address = found.find((one) => isPublic(one.address))?.address;
  if (address === undefined) throw new Refusal(`${host} leads to no public address`);
  return address;
}

function keep(open: Set<Socket>, socket: Socket): void {
  open.add(socket);
  socket.unref();
  socket.on("error", () => socket.destroy());
  socket.once("close", () => open.delete(socket));
}

async function listening(server: Server, socket: string): Promise<void> {
  server.listen(socket);
  await once(server, "listening");
  server.unref();
}
