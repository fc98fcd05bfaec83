// Loaded before anything else into a process that a test starts: each run that it makes is replayed as soon as it has ended, by
// whoever drives runs here. What a set-up does in the process of a test, which can wait until the test is over.
import { registerHooks } from "node:module";

registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== "./drive.ts" || !context.parentURL?.endsWith("/engine/start-run.ts"))
      return next(specifier, context);
    const url = new URL("drive-and-replay.ts", import.meta.url);
    url.search = new URL(import.meta.url).search;
    return { url: url.href, shortCircuit: true };
  },
});
