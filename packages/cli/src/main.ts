#!/usr/bin/env node
import { EXIT } from "./exit-codes.ts";
import { processIO } from "./io.ts";
import { runCli } from "./run-cli.ts";

const io = processIO();
const code = await runCli(process.argv.slice(2), io);
process.exitCode = io.outputFailed() ? EXIT.notPassed : code; // whatever a settings file made of it

/** What still keeps the process, such as work that ignores an abort or a timer of a settings file, has this long. */
const LEFT_BEHIND_MS = 300;
const leave = () => {
  const unread = process.stdout.writableLength + process.stderr.writableLength;
  if (unread === 0) process.exit();
  setTimeout(leave, LEFT_BEHIND_MS).unref();
};
setTimeout(leave, LEFT_BEHIND_MS).unref();
