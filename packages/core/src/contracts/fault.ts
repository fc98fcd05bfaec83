import { z } from "zod";
import type { Schema } from "./json.ts";

/** What went wrong, as data. Its normal form is the failure signature. */
export type Fault = {
  /** Stable and machine-readable, such as `TEST_FAILED`. */
  code: string;
  message: string;
  /** `path:line` of the first frame in the workspace. */
  location: string | null;
  /** The type that the program or runner reported, such as `AssertionError`. */
  errorType: string | null;
  /** Id of the first failing test. */
  test: string | null;
  /** Whether another attempt of the step can help. */
  retryable: boolean;
  /** Whether the machinery failed (a provider, the sandbox), which says nothing about the work. */
  infrastructure: boolean;
};

export const FaultSchema: Schema<Fault> = z.strictObject({
  code: z.string(),
  message: z.string(),
  location: z.string().nullable(),
  errorType: z.string().nullable(),
  test: z.string().nullable(),
  retryable: z.boolean(),
  infrastructure: z.boolean(),
});

/** A fault from what is known of it; what is left out is null or false. */
export function faultOf(known: Pick<Fault, "code" | "message"> & Partial<Fault>): Fault {
  return { location: null, errorType: null, test: null, retryable: false, infrastructure: false, ...known };
}
