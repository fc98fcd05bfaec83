import { ProviderError } from "@swarm/core";

export type MemoryErrorCode =
  /** Others kept writing for too long. May be tried again. */
  | "MEMORY_BUSY"
  /** The file is no database, or a broken one. */
  | "MEMORY_DAMAGED"
  /** The file is a database of something else, or one of a newer version. */
  | "MEMORY_FOREIGN"
  | "MEMORY_SCHEMA"
  /** The file cannot be opened, read or written: a missing right, a full disk. */
  | "MEMORY_UNAVAILABLE"
  /** A server did not answer, or not in time. May be tried again. */
  | "MEMORY_UNREACHABLE"
  /** A server answered that it will not. */
  | "MEMORY_REFUSED";

/** Why a memory gave or kept nothing, with what to do. A run goes on without. */
export class MemoryError extends ProviderError {
  declare readonly code: MemoryErrorCode;
  constructor(code: MemoryErrorCode, message: string, options: ErrorOptions & { status?: number } = {}) {
    super(code, message, { ...options, retryable: code === "MEMORY_BUSY" || code === "MEMORY_UNREACHABLE" });
  }
}
