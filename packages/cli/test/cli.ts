import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { writeLine } from "@swarm/core";
import { assertSoundRun } from "@swarm/core/testing";
import { loadTask, type MockDelivery } from "@swarm/tasks";
import { type CliIO, type Interrupt, runCli } from "../src/index.ts";
import { readLog } from "../src/show/read-log.ts";

const folders: string[] = [];

/** A folder of the test's own, until {@link removeTempFolders}. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "swarm-cli-"));
  folders.push(folder);
  return folder;
}

/** For `afterEach`. */
export function removeTempFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** Writes `page-window` as a task file, with some fields changed. */
export async function writeTaskFile(path: string, changes: (mock: MockDelivery) => object): Promise<void> {
  const { task, mock } = await loadTask("page-window");
  const { given: _, ...told } = mock!; // a file says that with its tests
  const { source, ...rest } = task;
  const starter = "files" in source ? source.files : {};
  writeFileSync(path, JSON.stringify({ ...rest, starter, mock: told, ...changes(told) }));
}

/** The command in this process: its exit code, and what it wrote. No key is in its environment unless the test gives one. */
export async function cli(
  argv: readonly string[],
  { cwd = tempFolder(), env = {}, onStderr }: Partial<CliIO> & { onStderr?(text: string): void } = {},
) {
  const stdout = capture();
  const stderr = capture({}, onStderr);
  const code = await runCli(argv, {
    stdout,
    stderr,
    env: { PATH: process.env["PATH"], ...env },
    cwd,
    onInterrupt: () => () => {},
    exit: (code) => {
      throw new Error(`exit(${code})`);
    },
  });
  if (["run", "resume", "fork"].includes(argv[0] ?? "")) await assertSoundRuns(join(cwd, "runs"));
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

async function assertSoundRuns(runs: string): Promise<void> {
  const logs = existsSync(runs) ? readdirSync(runs).filter((name) => name.endsWith(".jsonl")) : [];
  for (const log of logs) assertSoundRun((await readLog(join(runs, log))).trajectory);
}

/** Changes a log: it is left with its text changed, each line with the checksum that it needs then. */
export function rewriteLog(log: string, change: (text: string) => string): void {
  const lines = change(readFileSync(log, "utf8")).trimEnd().split("\n");
  const sealed = lines.map((line) => {
    const { crc32: _, ...value } = JSON.parse(line);
    return writeLine(value);
  });
  writeFileSync(log, `${sealed.join("\n")}\n`);
}

export function capture(
  terminal: { isTTY?: boolean; columns?: number } = {},
  onText: (text: string) => void = () => {},
) {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      onText(chunk.toString());
      done();
    },
  });
  return Object.assign(stream, terminal, { text: () => Buffer.concat(chunks).toString() });
}

/** Signals that a test sends by itself. */
export function signals() {
  const listeners = new Set<(signal: Interrupt) => void>();
  return {
    send: (signal: Interrupt) => listeners.forEach((listener) => void listener(signal)),
    count: () => listeners.size,
    onInterrupt(listener: (signal: Interrupt) => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
