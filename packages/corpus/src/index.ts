export { type ChatMessage, ChatMessagesSchema, type ChatTool, type ChatToolCall } from "./chat/message.ts";
export { chatTools, messagesOf } from "./chat/messages-of.ts";
export type { DataCard } from "./export/card.ts";
export { cardText } from "./export/card-text.ts";
export { Export, type ExportOptions, type RunSource } from "./export/export-runs.ts";
export { atif } from "./formats/atif/atif.ts";
export type { Format, MadeRow } from "./formats/format.ts";
export { FORMATS } from "./formats/formats.ts";
export { miniSweAgent } from "./formats/mini-swe-agent.ts";
export { openhands } from "./formats/openhands/openhands.ts";
export { preference } from "./formats/preference.ts";
export { recovery } from "./formats/recovery.ts";
export { sft } from "./formats/sft.ts";
export { sweAgent } from "./formats/swe-agent.ts";
export { sweBench } from "./formats/swe-bench.ts";
export { trajectories } from "./formats/trajectories.ts";
export { type Attempt, attemptsOf } from "./run/attempts.ts";
export type { Conversation, ModelCall } from "./run/conversation.ts";
export { factsOf, type RunFacts, type RunOutcome } from "./run/facts.ts";
export { type RunFilter, refusedBy } from "./run/filter.ts";
export type { PatchText } from "./run/patch.ts";
export { type RunRecord, runRecord } from "./run/record.ts";
export type { Settings } from "./run/settings.ts";
export {
  askIndex,
  INDEX_FILE,
  type IndexOptions,
  type RunIndex,
  type RunRow,
  SORTS,
  type Sort,
} from "./run-index/run-index.ts";
export type { Failure, Rate, Stats } from "./run-index/stats.ts";
