import { z } from "zod";
import { type JsonObject, JsonObjectSchema, type Schema } from "./json.ts";

/**
 * - `verified`: every check of the oracle was made and held.
 * - `passed`: the tests passed; some check could not be made, and `reasons` names it.
 * - `failed`: the tests did not pass. `tampered`: the oracle was interfered with. `insensitive`: the tests pass on the
 *   starter too, so they say nothing. `flaky`: repeat runs disagree.
 * - `infra-error`: the machinery failed, which says nothing about the work. `budget`, `timeout`, `aborted`: the run ended
 *   before the work did.
 */
export const OUTCOMES = [
  "verified",
  "passed",
  "failed",
  "tampered",
  "insensitive",
  "flaky",
  "infra-error",
  "budget",
  "timeout",
  "aborted",
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** The machine's judgement. `passed` is true for `verified` and `passed` alone. */
export type Verdict = {
  passed: boolean;
  outcome: Outcome;
  /** Whether the deciding tests came with the task or were written during the run. */
  oracle: "given" | "generated";
  signals: { testsPassed: number; testsFailed: number };
  /** For a person: what failed, and which checks could not be made. */
  reasons: string[];
  /** Every interference that was found or undone. */
  tampering: JsonObject[];
  /** Hashes and facts by which the verdict can be computed again. */
  evidence: JsonObject;
};

export const VerdictSchema: Schema<Verdict> = z.strictObject({
  passed: z.boolean(),
  outcome: z.enum(OUTCOMES),
  oracle: z.enum(["given", "generated"]),
  signals: z.strictObject({ testsPassed: z.int().nonnegative(), testsFailed: z.int().nonnegative() }),
  reasons: z.array(z.string()),
  tampering: z.array(JsonObjectSchema),
  evidence: JsonObjectSchema,
});

/** A verdict on a run that never reached its oracle. */
export function unverified(outcome: Exclude<Outcome, "verified" | "passed">, reason: string): Verdict {
  return {
    passed: false,
    outcome,
    oracle: "given",
    signals: { testsPassed: 0, testsFailed: 0 },
    reasons: [reason],
    tampering: [],
    evidence: {},
  };
}
