import { serveWorker } from "../../packages/executors/test/serve-worker.ts";
import { makeTeam, name, version } from "./team.ts";

/** A worker in a process of its own: `node worker.ts <how it is reached, as JSON>`. */
await serveWorker([{ name, version, make: (config) => makeTeam({ name, version, config }) }]);
