import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export type Balancer = { port: number; close(): void };

/** One address for several workers: each connection goes to the one of `urls` that has the fewest. */
export async function balance(urls: () => readonly string[]): Promise<Balancer> {
  const open = new Map<Socket, string>();
  const countOf = (url: string) => [...open.values()].filter((one) => one === url).length;
  const server = createServer((socket) => {
    const [url] = urls().toSorted((a, b) => countOf(a) - countOf(b));
    if (url === undefined) return void socket.destroy();
    open.set(socket, url);
    const { hostname, port } = new URL(url);
    const worker = connect(Number(port), hostname);
    for (const [one, other] of [
      [socket, worker],
      [worker, socket],
    ] as const) {
      one.on("error", () => other.destroy());
      one.once("close", () => other.destroy());
      one.pipe(other);
    }
    socket.once("close", () => open.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      for (const socket of open.keys()) socket.destroy();
    },
  };
}
