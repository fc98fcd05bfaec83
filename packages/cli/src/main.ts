#!/usr/bin/env node
import { EXIT } from "./exit-codes.ts";
import { processIO } from "./io.ts";
import { runCli } from "./run-cli.ts";

const code = await runCli(process.argv.slice(2), processIO());
process.exitCode ??= code; // output that could not be written has set it already

/** Work that ignores an abort has this long to put itself away; only then is the process ended from here. */
const LEFT_BEHIND_MS = 300;
if (process.exitCode === EXIT.SIGINT || process.exitCode === EXIT.SIGTERM) {
  setTimeout(() => process.exit(), LEFT_BEHIND_MS).unref();
}
