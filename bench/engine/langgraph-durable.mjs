// The same with checkpoints in SQLite.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { contender as withOptions } from "./langgraph.mjs";

export function contender() {
  const folder = mkdtempSync(join(tmpdir(), "durable-"));
  return withOptions({ checkpointer: SqliteSaver.fromConnString(join(folder, "checkpoints.db")) });
}
