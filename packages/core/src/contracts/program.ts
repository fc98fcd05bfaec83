import type { Done } from "./done.ts";
import type { Fault } from "./fault.ts";
import type { Loaded } from "./files.ts";
import type { Json, JsonObject, Schema } from "./json.ts";
import type { Recollection } from "./memory.ts";
import type { LLMResponse, ToolUse, Turn } from "./model.ts";
import type { Change } from "./sandbox.ts";
import type { FrozenSuite, TestReport } from "./suite.ts";
import type { TaskView } from "./task.ts";

/** The files after the last call that ended, from its snapshot and never from the live folder. */
export interface FilesView {
  list(): Promise<string[]>;
  read(path: string): Promise<Uint8Array>;
  /** What differs from the files that the attempt, or for a workflow the run, began with. */
  changes(): Promise<Change[]>;
}

export type AskRequest = {
  turns: Turn[];
  /** A JSON schema that the answer has to follow. */
  output?: JsonObject;
  maxTokens?: number;
  /** Default false. */
  cacheable?: boolean;
};

/**
 * A tool call or test run that told what it loaded ({@link ToolOutput}, {@link TestReport}), and whether it ended well: the
 * tool's `ok`, or a report without fault in which some test ran and none failed.
 */
export type Execution = { ok: boolean; loaded: Loaded };

/** A role at work in one step: its model, and its tools and no others. */
export interface RoleHandle {
  /** One model call. Rejects with a {@link CallError} when it failed for good. */
  ask(request: AskRequest): Promise<LLMResponse>;
  /**
   * Runs tool calls and gives their results in call order. Neighbours without effect run side by side, any other alone. A
   * call that fails, is unknown or has wrong arguments is a result with `ok: false`.
   */
  use(calls: readonly ToolUse[]): Promise<Turn>;
  /**
   * What the role's memory has on a question, the best first. Nothing where the role has no memory, and where the memory
   * fails or its circuit is open: the log says so, and the role goes on without.
   */
  recall(question: string): Promise<Recollection[]>;
}

/**
 * All that a step program may use. Anything else (a clock, a file, randomness) goes through `once`, so that the program
 * can be run again over its log. One call at a time.
 */
export interface StepContext {
  readonly task: TaskView;
  readonly attempt: number;
  /** What the last attempt's diagnosis advised. */
  readonly hint: string | null;
  readonly seed: number;
  readonly signal: AbortSignal;
  readonly files: FilesView;
  readonly suites: readonly FrozenSuite[];
  /** Those of the attempt so far, in order. */
  readonly executions: readonly Execution[];
  role(name: string): RoleHandle;
  /**
   * Runs suites on the files as they are: frozen ones by their ids (default: all), and such as were admitted and are not frozen
   * yet. Plain code: no token is spent.
   */
  test(suites?: readonly (string | FrozenSuite)[]): Promise<TestReport>;
  /** Any other fact from outside: called at most once an attempt for a name, and read from the log when run again. */
  once<T extends Json>(name: string, run: (signal: AbortSignal) => Promise<T>): Promise<T>;
}
export interface AttemptContext<O> extends StepContext {
  done(output: O): Done<O>;
  fail(fault: Fault): Done<O>;
}

/** One kind of step. `attempt` and `diagnose` are functions of their input and of what the context gives. */
export interface StepProgram<I extends Json, O extends Json> {
  readonly name: string;
  readonly input: Schema<I>;
  readonly output: Schema<O>;
  attempt(context: AttemptContext<O>, input: I): Promise<Done<O>>;
  /** A hint for the next attempt, from the files of the failed one. Not called when no attempt is left. */
  diagnose?(context: StepContext, fault: Fault, input: I): Promise<string>;
}

/** A step program with its types inferred from its schemas. */
export function defineProgram<I extends Json, O extends Json>(program: StepProgram<I, O>): StepProgram<I, O> {
  return program;
}
