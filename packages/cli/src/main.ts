#!/usr/bin/env node
import { EXIT } from "./exit-codes.ts";
import { processIO } from "./io.ts";
import { runCli } from "./run-cli.ts";

const io = processIO();
const code = await runCli(process.argv.slice(2), io);
process.exitCode = io.outputFailed() ? EXIT.notPassed : code; // whatever a settings file made of it

/** Work that ignores an abort has this long to put itself away; only then is the process ended from here. */
const LEFT_BEHIND_MS = 300;
if (process.exitCode === EXIT.SIGINT || process.exitCode === EXIT.SIGTERM) {
  setTimeout(() => process.exit(), LEFT_BEHIND_MS).unref();
}
