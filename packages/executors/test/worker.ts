import { makeTeam } from "@swarm/core/testing/team";
import { createWorker, listen } from "@swarm/executors";
import { serveBullmq } from "@swarm/executors/bullmq";
import { serveRestate } from "@swarm/executors/restate";

/** How a worker comes to its attempts. */
export type Reached =
  | { by: "http"; port: number; token: string; concurrency?: number }
  | { by: "bullmq"; url: string; lockMs: number }
  | { by: "restate"; port: number };

/** A worker of the conformance suite in a process of its own: `node worker.ts <how it is reached, as JSON>`. */
const reached = JSON.parse(process.argv[2]!) as Reached;
const worker = createWorker({
  teams: [
    { name: "conformance", version: "1", make: (config) => makeTeam({ name: "conformance", version: "1", config }) },
  ],
  concurrency: reached.by === "http" ? (reached.concurrency ?? 1) : 4,
});
const open = await serve(reached);
process.once("SIGTERM", () => void open.close().then(() => process.exit(0)));
process.once("disconnect", () => process.exit(1)); // whoever started it is gone
process.send?.({ id: worker.id });

function serve(how: Reached): Promise<{ close(): Promise<void> }> {
  if (how.by === "http") return listen(worker, how);
  if (how.by === "bullmq") return serveBullmq(worker, { connection: { url: how.url }, lockMs: how.lockMs });
  return serveRestate(worker, { port: how.port, reusePort: true });
}
