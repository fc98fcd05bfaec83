import type { Site } from "../contracts/executor.ts";
import type { JsonObject } from "../contracts/json.ts";
import type { Execution } from "../contracts/program.ts";
import type { AttemptOrder } from "../contracts/step.ts";
import type { TurnSources } from "../log/thread.ts";
import type { AttemptTests } from "./attempt-tests.ts";
import type { PendingAdvice } from "./pending-advice.ts";
import type { Recorder } from "./recorder.ts";

/** What the roles of one attempt share. */
export type AttemptParts = {
  order: AttemptOrder;
  site: Site;
  recorder: Recorder;
  tests: AttemptTests;
  sources: TurnSources;
  advice: PendingAdvice;
  executions: Execution[];
  /** Writes an ambient note: a retry, a breaker's transition. */
  notice: (note: JsonObject) => void;
};
