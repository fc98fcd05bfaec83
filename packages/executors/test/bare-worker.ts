import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createServer2 } from "node:http2";
import { createEndpointHandler, service } from "@restatedev/restate-sdk";
import { Worker } from "bullmq";
import type { Reached } from "./serve-worker.ts";

/**
 * A worker without Swarm, in a process of its own: `node bare-worker.ts <how it is reached, as JSON>`. What it does of a step is what
 * its engine needs, and nothing else.
 */
const reached = JSON.parse(process.argv[2]!) as Reached;
await serve(reached);
process.once("disconnect", () => process.exit(1)); // whoever started it is gone
process.send?.({ id: `${process.pid}` });

async function serve(how: Reached): Promise<void> {
  if (how.by === "bullmq") {
    await new Worker("bare", async () => null, {
      connection: { url: how.url },
      concurrency: how.concurrency ?? 1,
    }).waitUntilReady();
    return;
  }
  const server = how.by === "http" ? createServer(answerNull) : createServer2(durable());
  server.listen(how.port, "127.0.0.1");
  await once(server, "listening");
}

function answerNull(request: IncomingMessage, response: ServerResponse): void {
  request.resume().once("end", () => response.writeHead(200, { "content-type": "application/json" }).end("null"));
}

/** One durable action. */
function durable() {
  const bare = service({
    name: "bare",
    handlers: { step: async (context) => await context.run("perform", async () => null) },
  });
  return createEndpointHandler({ services: [bare], logger() {} });
}
