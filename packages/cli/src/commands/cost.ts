import { resolve } from "node:path";
import { costReport } from "@swarm/core";
import { EXIT } from "../exit-codes.ts";
import type { OptionsOf } from "../flags.ts";
import type { CliIO } from "../io.ts";
import { jsonText } from "../run/views.ts";
import { findLog } from "../show/find-log.ts";
import { readLog } from "../show/read-log.ts";
import { costLines } from "../view/cost-lines.ts";
import { printLines } from "../view/screen.ts";

/** `swarm cost`: what a run cost by role, or its cost report as JSON, made again from the log. */
export async function cost(name: string, options: OptionsOf<"cost">, io: CliIO): Promise<number> {
  const { trajectory, torn } = await readLog(await findLog(name, resolve(io.cwd, options.runs), io.cwd));
  if (torn) io.stderr.write("swarm: the log's last line is torn, and taken as not written\n");
  const report = costReport(trajectory);
  if (options.json) io.stdout.write(jsonText(report));
  else printLines(io.stdout, costLines(report));
  return EXIT.ok;
}
