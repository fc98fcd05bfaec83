import { type Fault, faultOf } from "../contracts/fault.ts";
import {
  CallError,
  CircuitOpenError,
  messageOf,
  PathError,
  ProviderError,
  SandboxError,
  SwarmError,
} from "../errors.ts";

/** What was thrown, as data for the log. */
export function faultOfError(error: unknown): Fault {
  if (error instanceof CallError) return error.fault;
  return faultOf({
    code: error instanceof SwarmError ? error.code : "CRASHED",
    message: messageOf(error).toWellFormed(),
    errorType: error instanceof Error ? messageOf(error.name) : typeof error,
    // what an attempt did to its workspace is undone before the next one
    retryable: error instanceof ProviderError ? error.retryable : error instanceof PathError,
    infrastructure: isInfrastructure(error),
  });
}

function isInfrastructure(error: unknown): boolean {
  if (error instanceof ProviderError) return error.code !== "CONTEXT_TOO_LONG";
  return error instanceof CircuitOpenError || error instanceof SandboxError;
}
