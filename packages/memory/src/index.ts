export { type ChromaOptions, chroma } from "./chroma.ts";
export { MemoryError, type MemoryErrorCode } from "./memory-error.ts";
export { DEFAULT_MAX_DISTANCE, type Embed, type MemoryStore } from "./memory-store.ts";
export { recordOf } from "./record-of.ts";
export { type RunRecord, RunRecordSchema, recordText } from "./run-record.ts";
export { slidingWindow, withoutExchanges } from "./sliding-window.ts";
export { type SqliteMemoryOptions, sqliteMemory } from "./sqlite/sqlite-memory.ts";
export { wordEmbedding } from "./word-embedding.ts";
