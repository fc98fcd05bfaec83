// The same with workflow snapshots in SQLite, by the store that Mastra's guide begins with.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LibSQLStore } from "@mastra/libsql";
import { contender as withOptions } from "./mastra.mjs";

export function contender() {
  const folder = mkdtempSync(join(tmpdir(), "durable-"));
  return withOptions({ storage: new LibSQLStore({ id: "bench", url: `file:${join(folder, "mastra.db")}` }) });
}
