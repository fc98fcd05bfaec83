import type { Fault } from "./contracts/fault.ts";

/** Every error that Swarm throws: a stable `code`, and a message that says what is wrong and what would be right. */
export class SwarmError extends Error {
  readonly code: string;
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/** The caller gave something wrong: `field` names it, as a path such as `testFiles["../x.py"]` or a flag. */
export class InvalidInputError extends SwarmError {
  readonly field: string;
  constructor(field: string, message: string, options?: ErrorOptions & { code?: string }) {
    super(options?.code ?? "INVALID_INPUT", `${field}: ${message}`, options);
    this.field = field;
  }
}

/** A blob, snapshot, file or run that is asked for and not there. */
export class NotFoundError extends SwarmError {
  constructor(what: string, options?: ErrorOptions) {
    super("NOT_FOUND", `${what} is not there`, options);
  }
}

/** A path that a tool or task may not use, or not so. */
export class PathError extends SwarmError {
  readonly path: string;
  constructor(path: string, problem: string, { code = "PATH_REFUSED" }: { code?: string } = {}) {
    super(code, `${JSON.stringify(path)} ${problem}`);
    this.path = path;
  }
}

export type RefusalCode = "FENCED" | "DIVERGED" | "BUDGET" | "TIMEOUT" | "ABORTED";
/** The log's writer did not take an event. Programs let it pass: it ends the step. */
export class RefusedError extends SwarmError {
  declare readonly code: RefusalCode;
  constructor(code: RefusalCode, message: string, options?: ErrorOptions) {
    super(code, message, options);
  }
}

/** A model or other call that failed for good; `fault` is what the log holds of it. */
export class CallError extends SwarmError {
  readonly fault: Fault;
  constructor(fault: Fault, options?: ErrorOptions) {
    super(fault.code, fault.message, options);
    this.fault = fault;
  }
}

/** A provider's answer that is no answer. Transient faults (429, 408, 5xx, time-outs, lost connections) are retryable. */
export class ProviderError extends SwarmError {
  readonly status: number | null;
  readonly retryable: boolean;
  /** How long the provider asked to wait. */
  readonly retryAfterMs: number | null;
  constructor(
    code: string,
    message: string,
    options: ErrorOptions & { status?: number | null; retryable: boolean; retryAfterMs?: number | null },
  ) {
    super(code, message, options);
    this.status = options.status ?? null;
    this.retryable = options.retryable;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

/** The circuit breaker of a dependency is open: nothing was called. */
export class CircuitOpenError extends SwarmError {
  readonly dependency: string;
  constructor(dependency: string) {
    super("CIRCUIT_OPEN", `${dependency} failed repeatedly and is not called until its cool-down is over`);
    this.dependency = dependency;
  }
}

/** The sandbox itself is broken, which says nothing about the work in it. */
export class SandboxError extends SwarmError {
  constructor(message: string, options?: ErrorOptions) {
    super("SANDBOX_FAILED", message, options);
  }
}

/** A log that cannot be read or written. Where it is damaged, `line`, from 1, begins at the byte `offset`. */
export class LogError extends SwarmError {
  declare readonly code: "LOG_DAMAGED" | "LOG_EXISTS" | "LOG_BUSY" | "LOG_SCHEMA" | "LOG_WRITE_FAILED";
  readonly line: number | null;
  readonly offset: number | null;
  constructor(
    code: LogError["code"],
    message: string,
    place: Pick<LogError, "line" | "offset"> | null = null,
    options?: ErrorOptions,
  ) {
    super(code, message, options);
    this.line = place?.line ?? null;
    this.offset = place?.offset ?? null;
  }
}

/** Who holds a lock: `since` is an ISO 8601 time. */
export type LockHolder = { pid: number; host: string; since: string };

/** Another run works for the directory. */
export class WorkspaceBusyError extends SwarmError {
  readonly directory: string;
  readonly holder: LockHolder;
  constructor(directory: string, holder: LockHolder) {
    const { pid, host, since } = holder;
    super(
      "WORKSPACE_BUSY",
      `workspace busy: process ${pid} on ${host} has held ${directory} since ${since}; wait for its end, or name another`,
    );
    this.directory = directory;
    this.holder = holder;
  }
}

/** Parallel branches changed the same paths. */
export class MergeConflictError extends SwarmError {
  readonly paths: readonly string[];
  constructor(paths: readonly string[]) {
    super("MERGE_CONFLICT", `parallel branches changed the same files: ${paths.join(", ")}`);
    this.paths = paths;
  }
}

export type ContextCode =
  | "CONTEXT_BUSY"
  | "CALL_NOT_AWAITED"
  | "ATTEMPT_OVER"
  | "BAD_RESULT"
  | "UNKNOWN_ROLE"
  | "UNKNOWN_PROGRAM"
  | "UNKNOWN_SUITE";
/** A program or workflow used its context against its contract. */
export class ContextError extends SwarmError {
  constructor(code: ContextCode, message: string) {
    super(code, message);
  }
}

/** What an abort signal was aborted with, as an error. */
export function abortReason(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new SwarmError("ABORTED", String(signal.reason ?? "aborted"));
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return "something that cannot be told was thrown";
  }
}
