import type { Schema } from "@swarm/core";
import { z } from "zod";

export const INTENTS = ["review_request", "fix_instruction", "approved", "final_report"] as const;
/** What a message wants: a review of work, or what came of one. */
export type Intent = (typeof INTENTS)[number];

/** A test that has to pass and did not. */
export type Failure = {
  test: string;
  /** Ids of the criteria that the test checks. */
  criteria: string[];
  /** The type that the runner reported, such as `AssertionError`. */
  error: string | null;
  /** `path:line` in the workspace. */
  location: string | null;
  message: string;
};

/**
 * Work that is ready: what was done, and the files with whether a successful run has loaded each as it is now. `revision` is what
 * became of the last look at it: `no_revision` where no file was changed though some had to be, `none` where there was no such look.
 */
export type ReviewRequest = {
  round: number;
  explanation: string;
  plan: string;
  entryPoint: string | null;
  files: { path: string; verified: boolean }[];
  revision: (typeof REVISIONS)[number];
};
export const REVISIONS = ["revised", "no_revision", "none"] as const;
/** What has to be mended, and what all of it looks like to a reader. */
export type FixInstruction = { round: number; failures: Failure[]; instruction: string };
export type Approved = { round: number; testsPassed: number; suites: string[] };
export const FINAL_REASONS = ["rounds_spent", "no_revision", "no_suite"] as const;
/** Why work is not looked at again. */
export type FinalReport = { round: number; reason: (typeof FINAL_REASONS)[number]; failures: Failure[] };

type Payloads = {
  review_request: ReviewRequest;
  fix_instruction: FixInstruction;
  approved: Approved;
  final_report: FinalReport;
};

/** Who says it to whom, and about what: a reply has the task and the correlation id of its request. */
export type Envelope = { sender: string; receiver: string; taskId: string; correlationId: string };
/** A message from one agent to another, as data. */
export type Message = { [I in Intent]: Envelope & { intent: I; payload: Payloads[I] } }[Intent];

const round = z.int().positive();
export const FailureSchema: Schema<Failure> = z.strictObject({
  test: z.string(),
  criteria: z.array(z.string()),
  error: z.string().nullable(),
  location: z.string().nullable(),
  message: z.string(),
});
const failures = z.array(FailureSchema);

const PAYLOADS = {
  review_request: z.strictObject({
    round,
    explanation: z.string(),
    plan: z.string(),
    entryPoint: z.string().nullable(),
    files: z.array(z.strictObject({ path: z.string(), verified: z.boolean() })),
    revision: z.enum(REVISIONS),
  }),
  fix_instruction: z.strictObject({ round, failures, instruction: z.string() }),
  approved: z.strictObject({ round, testsPassed: z.int().positive(), suites: z.array(z.string()).min(1) }),
  final_report: z.strictObject({ round, reason: z.enum(FINAL_REASONS), failures }),
} satisfies { [I in Intent]: Schema<Payloads[I]> };

const name = z.string().min(1);
const envelope = { sender: name, receiver: name, taskId: name, correlationId: name };
const withIntent = <const I extends Intent>(intent: I) =>
  z.strictObject({ ...envelope, intent: z.literal(intent), payload: PAYLOADS[intent] });

export const MessageSchema: Schema<Message> = z.discriminatedUnion("intent", [
  withIntent("review_request"),
  withIntent("fix_instruction"),
  withIntent("approved"),
  withIntent("final_report"),
]);

/** What has the form of a message, whatever its intent and payload are. */
export const AddressedSchema = z.looseObject({ ...envelope, intent: name });
