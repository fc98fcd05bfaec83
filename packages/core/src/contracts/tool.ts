import type { Effect } from "./event.ts";
import type { Loaded } from "./files.ts";
import type { Json, JsonObject, Schema } from "./json.ts";
import type { Workspace } from "./sandbox.ts";
import type { TestReport } from "./suite.ts";

/**
 * `output` is what the model reads. `touched` names the only files that the call can have changed. `loaded` is what it ran, where it
 * keeps account of that.
 */
export type ToolOutput = {
  ok: boolean;
  output: string;
  touched?: string[];
  loaded?: Loaded;
  measured?: JsonObject;
};

export interface ToolContext {
  readonly workspace: Workspace;
  /** Runs the frozen suites on the workspace as it is now. */
  test(suites?: readonly string[]): Promise<TestReport>;
  /** The same for the same call when it is made again after a crash: an idempotency key. */
  readonly callId: string;
  readonly signal: AbortSignal;
}

/**
 * Something that a role can do. Called only through the guard, with input that `input` accepted. A failure that the model
 * can mend is `ok: false` with an output that says how; throwing is for faults of the machinery.
 */
export interface Tool<I extends Json> {
  readonly name: string;
  readonly description: string;
  readonly input: Schema<I>;
  readonly effect: Effect;
  /** Whether the same call may be made twice. Only then is a transient fault retried. */
  readonly idempotent: boolean;
  call(input: I, context: ToolContext): Promise<ToolOutput>;
}
