import { createWorker, type KnownTeam, listen, type Worker } from "@swarm/executors";
import { serveBullmq } from "@swarm/executors/bullmq";
import { serveRestate } from "@swarm/executors/restate";

/** How a worker comes to its attempts. */
export type Reached = { concurrency?: number } & (
  | { by: "http"; host?: string; port: number; token: string }
  | { by: "bullmq"; url: string; lockMs: number }
  | { by: "restate"; host?: string; port: number; identityKeys?: readonly string[] }
);

/** Makes this process a worker that is reached as its first argument says, until it is told to end or its parent is gone. */
export async function serveWorker(teams: readonly KnownTeam[]): Promise<void> {
  const reached = JSON.parse(process.argv[2]!) as Reached;
  const { by, concurrency = by === "http" ? 1 : 4 } = reached;
  const worker = createWorker({ teams, concurrency });
  const open = await serve(worker, reached);
  process.once("SIGTERM", () => void open.close().then(() => process.exit(0)));
  process.once("disconnect", () => process.exit(1)); // whoever started it is gone
  process.send?.({ id: worker.id });
}

function serve(worker: Worker, how: Reached): Promise<{ close(): Promise<void> }> {
  if (how.by === "http") return listen(worker, how);
  if (how.by === "bullmq") return serveBullmq(worker, { connection: { url: how.url }, lockMs: how.lockMs });
  return serveRestate(worker, { ...how, reusePort: true });
}
