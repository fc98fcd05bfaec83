import { serveWorker } from "../../../packages/executors/test/serve-worker.ts";
import { makeTeam } from "./teams.ts";

/** A worker in a process of its own: `node worker.ts <how it is reached, as JSON>`. */
await serveWorker(
  ["conformance", "idle"].map((name) => ({ name, version: "1", make: (config) => makeTeam({ name, config }) })),
);
