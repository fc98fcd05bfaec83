import { readFileSync } from "node:fs";
import { EXIT } from "./exit-codes.ts";
import { helpText } from "./help.ts";
import type { CliIO } from "./io.ts";
import { type Call, parseCommandLine } from "./parse-command-line.ts";
import { reportError } from "./report-error.ts";

/**
 * The `swarm` command with its arguments, without the program's name. Resolves to the exit code and never rejects: an error
 * is one clear message on stderr, and with `--json` an object on stdout too.
 */
export async function runCli(argv: readonly string[], io: CliIO): Promise<number> {
  try {
    const line = parseCommandLine(argv);
    if ("command" in line) return await perform(line, io);
    io.stdout.write("help" in line ? helpText(line.help) : `${version()}\n`);
    return EXIT.ok;
  } catch (error) {
    return reportError(error, io, argv.includes("--json"));
  }
}

/** Each command is loaded when it is called: what `run` needs takes longer to load than `--help` may take. */
async function perform(call: Call, io: CliIO): Promise<number> {
  switch (call.command) {
    case "run":
      return (await import("./commands/run.ts")).run(call.argument, call.options, io);
    case "resume":
      return (await import("./commands/resume.ts")).resume(call.argument ?? "", call.options, io);
    case "fork":
      return (await import("./commands/fork.ts")).fork(call.argument ?? "", call.options, io);
    case "batch":
      return (await import("./commands/batch.ts")).batch(call.options, io);
    case "up":
      return (await import("./commands/up.ts")).up(call.options, io);
    case "worker":
      return (await import("./commands/worker.ts")).worker(call.options, io);
    case "replay":
      return (await import("./commands/replay.ts")).replay(call.argument ?? "", call.options, io);
    case "tasks":
      return (await import("./commands/tasks.ts")).tasks(call.options, io);
    case "show":
      return (await import("./commands/show.ts")).show(call.argument ?? "", call.options, io);
    case "graph":
      return (await import("./commands/graph.ts")).graph(call.argument ?? "", call.options, io);
    case "cost":
      return (await import("./commands/cost.ts")).cost(call.argument ?? "", call.options, io);
    case "ls":
      return (await import("./commands/ls.ts")).ls(call.options, io);
    case "stats":
      return (await import("./commands/stats.ts")).stats(call.options, io);
    case "export":
      return (await import("./commands/export.ts")).exportCommand(call.words, call.options, io);
    case "verify":
      return (await import("./commands/verify.ts")).verify(call.options, io);
    case "gc":
      return (await import("./commands/gc.ts")).gc(call.options, io);
    case "gauntlet":
      return (await import("./commands/gauntlet.ts")).gauntlet(call.options, io);
    case "doctor":
      return (await import("./commands/doctor.ts")).doctor(call.options, io);
  }
}

/** From the package itself, which lies above `src` and `dist` alike. */
function version(): string {
  const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}
