import { type Fault, faultOf } from "../contracts/fault.ts";
import { CallError, messageOf, ProviderError, SwarmError } from "../errors.ts";
import { redact } from "../redact.ts";

/** What was thrown, as data for the log. */
export function faultOfError(error: unknown): Fault {
  if (error instanceof CallError) return error.fault;
  const message = redact(messageOf(error)).toWellFormed();
  const errorType = error instanceof Error ? error.name : typeof error;
  if (error instanceof ProviderError)
    return faultOf({ code: error.code, message, errorType, retryable: error.retryable });
  return faultOf({ code: error instanceof SwarmError ? error.code : "CRASHED", message, errorType });
}
