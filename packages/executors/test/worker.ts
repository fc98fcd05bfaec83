import { makeTeam } from "@swarm/core/testing/team";
import { serveWorker } from "./serve-worker.ts";

/** A worker of the conformance suite in a process of its own: `node worker.ts <how it is reached, as JSON>`. */
await serveWorker([
  { name: "conformance", version: "1", make: (config) => makeTeam({ name: "conformance", version: "1", config }) },
]);
