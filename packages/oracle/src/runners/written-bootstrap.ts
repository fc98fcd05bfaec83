/**
 * Runs a program whose report is what it writes: its standard output, or a file. For `node -e`; its input is
 * {@link WrittenSpec} with the nonce, as JSON. The program gets no descriptor of the channel, so that it cannot write to it
 * directly; but what it writes is all there is to go by.
 */
export const WRITTEN_BOOTSTRAP = String.raw`
"use strict";
const { spawn, spawnSync } = require("node:child_process");
const { mkdtempSync, readFileSync, writeSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");

const { nonce, before, argv, version } = JSON.parse(readFileSync(0, "utf8"));
const reportFile = join(mkdtempSync(join(tmpdir(), "report-")), "report");

function send(record) {
  const bytes = Buffer.from(JSON.stringify({ nonce, ...record }) + "\n");
  for (let sent = 0; sent < bytes.length; ) {
    try {
      sent += writeSync(3, bytes, sent);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

function firstLineOf([program, ...args]) {
  return spawnSync(program, args, { encoding: "utf8" }).stdout?.split("\n")[0] || null;
}

if (before) spawnSync(before[0], before.slice(1), { stdio: "ignore" });
const told = version ? firstLineOf(version) : null;
send({ kind: "ready" });
const began = performance.now();
const [program, ...args] = argv.map((one) => one.replaceAll("{report}", reportFile));
const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
child.stdout.setEncoding("utf8").on("data", (text) => send({ kind: "written", to: "output", text }));
child.stderr.setEncoding("utf8").on("data", (text) => {
  send({ kind: "written", to: "error", text });
  process.stderr.write(text);
});
child.on("error", (error) => send({ kind: "unavailable", message: program + " cannot be started: " + error.message }));
child.on("close", (code, signal) => {
  try {
    send({ kind: "written", to: "report", text: readFileSync(reportFile, "utf8") });
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
  }
  send({ kind: "exited", code, signal, version: told, ms: performance.now() - began });
  process.exit(code ?? 1);
});
`;

export type WrittenSpec = {
  /** Run first, its output thrown away: what is not to count as time of the tests. */
  before?: readonly string[];
  /** The program and its arguments; `{report}` in them is the path of a file that is read when it has ended. */
  argv: readonly string[];
  /** A command whose first line of output is the version. */
  version?: readonly string[];
};
