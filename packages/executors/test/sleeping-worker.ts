import { serveWorker } from "./serve-worker.ts";
import { makeTeam } from "./sleeping-team.ts";

/** A worker in a process of its own: `node sleeping-worker.ts <how it is reached, as JSON>`. */
await serveWorker([{ name: "sleeping", version: "1", make: (config) => makeTeam({ config }) }]);
