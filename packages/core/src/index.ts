export { untilAborted } from "./abort.ts";
export type { Rate } from "./batch/interval.ts";
export { type BatchHeader, batchJournalOf, readJournal as readBatchJournal } from "./batch/journal.ts";
export type { Batch, BatchEvent, BatchOptions, BatchProgress, BatchRunOptions, BatchTask } from "./batch/options.ts";
export type { ProviderRate } from "./batch/provider-gate.ts";
export { type BatchRow, BatchRowSchema, isSettled } from "./batch/row.ts";
export { runBatch, startBatch } from "./batch/run-batch.ts";
export type { BatchReport, FailureCount, SignatureCount } from "./batch/tally.ts";
export { TokenBucket } from "./batch/token-bucket.ts";
export { checkInput } from "./check-input.ts";
export { type Clock, systemClock } from "./clock.ts";
export { type Budget, LimitsSchema } from "./contracts/budget.ts";
export type { Done } from "./contracts/done.ts";
export {
  type Call,
  CallSchema,
  type Effect,
  EVENT_KINDS,
  type EventDraft,
  EventDraftSchema,
  type EventKind,
  type Hint,
  LOG_SCHEMA,
  type LoggedTurn,
  type LogHeader,
  LogHeaderSchema,
  type Parent,
  type Payload,
  PayloadSchema,
  type RunEvent,
  RunEventSchema,
  type StepRecord,
  type TurnReference,
} from "./contracts/event.ts";
export type { Executor, Site, StepHost } from "./contracts/executor.ts";
export { type Fault, FaultSchema, faultOf } from "./contracts/fault.ts";
export {
  type BlobId,
  BlobIdSchema,
  type Files,
  FilesSchema,
  type Loaded,
  LoadedSchema,
  type SnapshotId,
  SnapshotIdSchema,
  WorkspacePathSchema,
  workspacePathProblem,
} from "./contracts/files.ts";
export { asJson, type Json, type JsonObject, JsonObjectSchema, JsonSchema, type Schema } from "./contracts/json.ts";
export { type Memory, type Recollection, RecollectionSchema } from "./contracts/memory.ts";
export {
  type CacheLookup,
  type CallSite,
  type Effort,
  EffortSchema,
  type LLMClient,
  type LLMRequest,
  type LLMResponse,
  LLMResponseSchema,
  type ModelId,
  NO_TOKENS,
  type Part,
  PartSchema,
  type Price,
  PriceSchema,
  type StopReason,
  type Tokens,
  TokensSchema,
  type ToolResult,
  ToolResultSchema,
  type ToolSpec,
  type ToolUse,
  ToolUseSchema,
  type Turn,
  TurnSchema,
} from "./contracts/model.ts";
export type { Oracle, OracleContext, VerifyInput } from "./contracts/oracle.ts";
export {
  type AskRequest,
  type AttemptContext,
  defineProgram,
  type Execution,
  type FilesView,
  type RoleHandle,
  type StepContext,
  type StepProgram,
} from "./contracts/program.ts";
export type {
  Blobs,
  Change,
  ExecOptions,
  ExecResult,
  HeldDirectory,
  Sandbox,
  Snapshots,
  Workspace,
  WorkspaceEntry,
} from "./contracts/sandbox.ts";
export {
  type Advice,
  type AttemptOrder,
  type AttemptResult,
  type RoleVariant,
  type Step,
  type StepResult,
  StepResultSchema,
  type TeamRef,
  TeamRefSchema,
  type Variant,
  VariantSchema,
} from "./contracts/step.ts";
export {
  type Admission,
  AdmissionSchema,
  type Frame,
  type FrozenSuite,
  FrozenSuiteSchema,
  type Suite,
  SuiteSchema,
  type TestReport,
  TestReportSchema,
  type TestResult,
  type TestRun,
  type TestRunner,
  type TestStatus,
} from "./contracts/suite.ts";
export {
  type Task,
  TaskIdSchema,
  TaskSchema,
  type TaskSource,
  TaskSourceSchema,
  type TaskView,
  TaskViewSchema,
  viewOf,
} from "./contracts/task.ts";
export type { Role, RunContext, StepOptions, Team } from "./contracts/team.ts";
export type { Tool, ToolContext, ToolOutput } from "./contracts/tool.ts";
export type { Trajectory, Usage } from "./contracts/trajectory.ts";
export { OUTCOMES, type Outcome, unverified, type Verdict, VerdictSchema } from "./contracts/verdict.ts";
export { countTests, type TestCounts } from "./count-tests.ts";
export { defineTeam } from "./define-team.ts";
export { didYouMean } from "./did-you-mean.ts";
export type { RunListener } from "./engine/event-stream.ts";
export { type ForkOptions, forkRun } from "./engine/fork-run.ts";
export { LocalExecutor } from "./engine/local-executor.ts";
export { perform } from "./engine/perform.ts";
export { type RecordedClient, type RecordedOptions, recorded } from "./engine/recorded.ts";
export { recover } from "./engine/recover.ts";
export { type Replay, type ReplayOptions, replayRun } from "./engine/replay-run.ts";
export { resumeRun, sealedTask } from "./engine/resume-run.ts";
export type { RunOptions } from "./engine/run-options.ts";
export { type Run, runTask, startRun } from "./engine/start-run.ts";
export { trajectoryOf } from "./engine/trajectory.ts";
export {
  abortReason,
  CallError,
  CircuitOpenError,
  ContextError,
  InvalidInputError,
  type LockHolder,
  LogError,
  MergeConflictError,
  messageOf,
  NotFoundError,
  PathError,
  ProviderError,
  type RefusalCode,
  RefusedError,
  SandboxError,
  SwarmError,
  WorkspaceBusyError,
} from "./errors.ts";
export { matchesGlob } from "./glob.ts";
export type { BreakerPolicy } from "./guard/breaker.ts";
export { createGuard, GUARD_DEFAULTS, type GuardOptions, type GuardPolicy } from "./guard/create-guard.ts";
export type { Guard, GuardedCall } from "./guard/guard.ts";
export { isTransient, type RetryPolicy } from "./guard/retry.ts";
export { type Difference, differencesBetween } from "./json-differences.ts";
export { canonicalJson, sha256, toJson } from "./json-value.ts";
export { type Line, linesOf } from "./lines.ts";
export { type BestState, bestState } from "./log/best-state.ts";
export { canonicalEvent } from "./log/canonical.ts";
export { type CallCost, type CostReport, type CostStatus, type CostTotal, costReport } from "./log/cost-report.ts";
export { type Divergence, type DivergenceCause, firstDivergence } from "./log/divergence.ts";
export { type FileLogStoreOptions, fileLogStore } from "./log/file-log-store.ts";
export type { Durability } from "./log/file-log-writer.ts";
export { costOf, Ledger } from "./log/ledger.ts";
export { type Lock, takeLock } from "./log/lock-file.ts";
export { logWriterOf, streamLogFile } from "./log/log-file.ts";
export { writeLine } from "./log/log-line.ts";
export type { LogContent, LogStore, LogStream, LogWriter, StreamOptions } from "./log/log-store.ts";
export { MASKS, mask } from "./log/masks.ts";
export { memoryLogStore } from "./log/memory-log-store.ts";
export { isPack, type Pack, readPack, writePack } from "./log/pack.ts";
export { type ParsedLog, parseLog } from "./log/parse-log.ts";
export { isDecided, ownEvents, sharedOf } from "./log/past.ts";
export {
  type PathEdge,
  type PathKind,
  type PathNode,
  type RunPath,
  runPath,
  type Transition,
  transitionsOf,
} from "./log/run-path.ts";
export { faultClassOf, signatureOf } from "./log/signature.ts";
export { streamLog } from "./log/stream-log.ts";
export { turnsOf } from "./log/thread.ts";
export { makeFolder } from "./make-folder.ts";
export { isAlive, type Owner, OwnerSchema, startOf, thisProcess } from "./owner.ts";
export { createRedactor, holdsSecret, REDACTED, type Redact, redactJson } from "./redact.ts";
export { taskOf } from "./task-of.ts";
export { testFault } from "./test-fault.ts";
export { headAndTail } from "./text.ts";
export { toolSpec } from "./tool-spec.ts";
