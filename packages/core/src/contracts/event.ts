import { z } from "zod";
import { type Budget, LimitsSchema } from "./budget.ts";
import { type Fault, FaultSchema } from "./fault.ts";
import { type BlobId, BlobIdSchema, type SnapshotId, SnapshotIdSchema } from "./files.ts";
import { type Json, type JsonObject, JsonObjectSchema, JsonSchema, type Schema } from "./json.ts";
import { type ModelId, type Price, PriceSchema, type Tokens, TokensSchema, type Turn, TurnSchema } from "./model.ts";
import { type Step, type StepResult, StepResultSchema, type TeamRef, TeamRefSchema, VariantSchema } from "./step.ts";
import { type FrozenSuite, FrozenSuiteSchema } from "./suite.ts";
import { type TaskView, TaskViewSchema } from "./task.ts";
import { type Verdict, VerdictSchema } from "./verdict.ts";

/** The version of the log's form. Readers refuse a newer one. */
export const LOG_SCHEMA = 1;

/** The first line of a log. What differs between two runs of one task stands only here and under `measured`. */
export type LogHeader = {
  schema: typeof LOG_SCHEMA;
  runId: string;
  task: TaskView;
  /** Blob of the whole task, hidden tests included. */
  taskSha256: BlobId;
  /** The starter files, visible tests included. */
  base: SnapshotId;
  /** What the directory held that the run works for, where it works for one: its changes there are counted from this. */
  workspace?: SnapshotId;
  team: TeamRef;
  limits: Partial<Budget>;
  prices: Record<ModelId, Price | null>;
  /** Isolation that the sandbox gives: `bubblewrap`, `process`, … */
  tier: string;
  /** The run that this one was forked from; null for one that began by itself. */
  parent: Parent | null;
  measured: JsonObject;
  crc32?: string;
};

/** Where a fork comes from, and what of it is not its own. */
export type Parent = {
  runId: string;
  /** The last event of the parent that is part of the past, by its `tsIndex` there. */
  at: number;
  /** How many events the fork's log begins with that the parent made and paid for. */
  shared: number;
  /** The parent's team and limits, so that it can be seen what was changed. */
  team: TeamRef;
  limits: Partial<Budget>;
  /** What was told with this fork, and with those that it descends from. */
  hints: Hint[];
};

/** A word to whoever works from event `from` on: each attempt is told it once, where its next model is asked. */
export type Hint = { text: string; from: number };

export const EVENT_KINDS = ["agent", "tool", "test", "checkpoint", "failure", "recovery", "verdict"] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/**
 * What a call changes, and so what becomes of one that a crash cut off: `none` is made again; for `workspace` the snapshot
 * before it is restored and it is made again; `outside` ends as interrupted unless it is idempotent.
 */
export type Effect = "none" | "workspace" | "outside";

/** A turn whose text stands in the log already: the answer of one call, or the results of several, by their begin keys. */
export type TurnReference = { role: "user" | "assistant"; from: string[] };
export type LoggedTurn = Turn | TurnReference;

export type Call =
  /** The delta of a thread: the first `keep` turns of what went before, then `add`. `settings` is a blob; `sha256` is the masked request's. */
  | { op: "model"; model: ModelId; thread: string; keep: number; add: LoggedTurn[]; settings: BlobId; sha256: string }
  | { op: "tool"; id: string; tool: string; args: JsonObject }
  | { op: "test"; suites: string[] }
  | { op: "other"; name: string };

/** A step as the log tells it: what the header and earlier events hold already is left out. */
export type StepRecord = Omit<Step, "runId" | "team" | "task" | "suites" | "advice"> & { suites: string[] };

export type Payload = { measured?: JsonObject } & (
  | /** Before a call; the writer may refuse it. One that never ended is charged at its reserve. */
  {
      type: "begin";
      call: Call;
      effect: Effect;
      reserve?: Tokens;
    } /** After a call: `value` is what the program saw, `snapshot` the workspace after it. */
  | { type: "end"; of: string; value: Json; fault: Fault | null; snapshot: SnapshotId; tokens?: Tokens }
  | { type: "step"; step: StepRecord }
  | { type: "attempt"; snapshot: SnapshotId; hint: string | null }
  | { type: "result"; result: StepResult }
  | { type: "frozen"; suite: FrozenSuite }
  | { type: "fault"; of: string | null; fault: Fault; signature: string }
  | { type: "recovered"; how: "hint" | "fallback" | "resume" | "redelivered" | "merged" | "winner"; detail: Json }
  | { type: "note"; note: JsonObject }
  | { type: "verdict"; verdict: Verdict }
);

export type EventDraft = {
  stepId: string;
  /** `<attempt>.<n>`, claimed when the event is caused; null is ambient: it may repeat, and replay and comparison skip it. */
  key: string | null;
  kind: EventKind;
  /** The role that acted. */
  agent: string | null;
  payload: Payload;
};
/**
 * A line of the log. `(stepId, key)` identifies it; `tsIndex` is its place in the file, from 0 without gaps. In the file each
 * line ends with `crc32`, the checksum of the line without it, so that a reader knows a damaged line from a whole one.
 */
export type RunEvent = EventDraft & { tsIndex: number; crc32?: string };

const ParentSchema: Schema<Parent> = z.strictObject({
  runId: z.string(),
  at: z.int().nonnegative(),
  shared: z.int().nonnegative(),
  team: TeamRefSchema,
  limits: LimitsSchema,
  hints: z.array(z.strictObject({ text: z.string(), from: z.int().nonnegative() })),
});

export const LogHeaderSchema: Schema<LogHeader> = z.strictObject({
  schema: z.literal(LOG_SCHEMA),
  runId: z.string(),
  task: TaskViewSchema,
  taskSha256: BlobIdSchema,
  base: SnapshotIdSchema,
  workspace: SnapshotIdSchema.exactOptional(),
  team: TeamRefSchema,
  limits: LimitsSchema,
  prices: z.record(z.string(), PriceSchema.nullable()),
  tier: z.string(),
  parent: ParentSchema.nullable(),
  measured: JsonObjectSchema,
  crc32: z.string().exactOptional(),
});

const roleOfTurn = z.enum(["user", "assistant"]);
const LoggedTurnSchema: Schema<LoggedTurn> = z.union([
  TurnSchema,
  z.strictObject({ role: roleOfTurn, from: z.array(z.string()) }),
]);

export const CallSchema: Schema<Call> = z.discriminatedUnion("op", [
  z.strictObject({
    op: z.literal("model"),
    model: z.string(),
    thread: z.string(),
    keep: z.int(),
    add: z.array(LoggedTurnSchema),
    settings: BlobIdSchema,
    sha256: z.string(),
  }),
  z.strictObject({ op: z.literal("tool"), id: z.string(), tool: z.string(), args: JsonObjectSchema }),
  z.strictObject({ op: z.literal("test"), suites: z.array(z.string()) }),
  z.strictObject({ op: z.literal("other"), name: z.string() }),
]);

const StepRecordSchema: Schema<StepRecord> = z.strictObject({
  stepId: z.string(),
  program: z.string(),
  input: JsonSchema,
  snapshot: SnapshotIdSchema,
  suites: z.array(z.string()),
  maxRetries: z.int().nonnegative(),
  timeoutMs: z.number().positive(),
  variant: VariantSchema.exactOptional(),
});

const measured = { measured: JsonObjectSchema.exactOptional() };
const type = <const T extends string>(name: T) => ({ type: z.literal(name), ...measured });

export const PayloadSchema: Schema<Payload> = z.discriminatedUnion("type", [
  z.strictObject({
    ...type("begin"),
    call: CallSchema,
    effect: z.enum(["none", "workspace", "outside"]),
    reserve: TokensSchema.exactOptional(),
  }),
  z.strictObject({
    ...type("end"),
    of: z.string(),
    value: JsonSchema,
    fault: FaultSchema.nullable(),
    snapshot: SnapshotIdSchema,
    tokens: TokensSchema.exactOptional(),
  }),
  z.strictObject({ ...type("step"), step: StepRecordSchema }),
  z.strictObject({ ...type("attempt"), snapshot: SnapshotIdSchema, hint: z.string().nullable() }),
  z.strictObject({ ...type("result"), result: StepResultSchema }),
  z.strictObject({ ...type("frozen"), suite: FrozenSuiteSchema }),
  z.strictObject({ ...type("fault"), of: z.string().nullable(), fault: FaultSchema, signature: z.string() }),
  z.strictObject({
    ...type("recovered"),
    how: z.enum(["hint", "fallback", "resume", "redelivered", "merged", "winner"]),
    detail: JsonSchema,
  }),
  z.strictObject({ ...type("note"), note: JsonObjectSchema }),
  z.strictObject({ ...type("verdict"), verdict: VerdictSchema }),
]);

const draft = {
  stepId: z.string(),
  key: z.string().nullable(),
  kind: z.enum(EVENT_KINDS),
  agent: z.string().nullable(),
  payload: PayloadSchema,
};
export const EventDraftSchema: Schema<EventDraft> = z.strictObject(draft);
export const RunEventSchema: Schema<RunEvent> = z.strictObject({
  tsIndex: z.int().nonnegative(),
  ...draft,
  crc32: z.string().exactOptional(),
});
