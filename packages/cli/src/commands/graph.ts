import { resolve } from "node:path";
import { runPath } from "@swarm/core";
import { EXIT } from "../exit-codes.ts";
import type { OptionsOf } from "../flags.ts";
import { mermaidOf } from "../graph/mermaid.ts";
import type { CliIO } from "../io.ts";
import { jsonText } from "../run/views.ts";
import { findLog } from "../show/find-log.ts";
import { readLog } from "../show/read-log.ts";

/** `swarm graph`: the path that a run took, as Mermaid or as JSON, made from its log alone. */
export async function graph(name: string, options: OptionsOf<"graph">, io: CliIO): Promise<number> {
  const { trajectory, torn } = await readLog(await findLog(name, resolve(io.cwd, options.runs), io.cwd));
  if (torn) io.stderr.write("swarm: the log's last line is torn, and taken as not written\n");
  const path = runPath(trajectory);
  io.stdout.write(options.json ? jsonText(path) : mermaidOf(path));
  return EXIT.ok;
}
