import { resolve } from "node:path";
import type { Check } from "../doctor/check.ts";
import { checkMachine } from "../doctor/checks.ts";
import { EXIT } from "../exit-codes.ts";
import type { OptionsOf } from "../flags.ts";
import type { CliIO } from "../io.ts";
import { type Line, line } from "../view/line.ts";
import { printLines } from "../view/screen.ts";

/** `swarm doctor`: what this machine has, and what each thing that it lacks costs. */
export async function doctor(options: OptionsOf<"doctor">, io: CliIO): Promise<number> {
  const checks = await checkMachine(io, resolve(io.cwd, options.runs));
  const ok = checks.every((check) => check.ok || !check.required);
  if (options.json) {
    io.stdout.write(`${JSON.stringify({ ok, checks }, null, 2)}\n`);
  } else {
    const width = Math.max(...checks.map(({ name }) => name.length));
    const lines = checks.map((check) => checkLine(check, width));
    const problems = checks.filter((check) => wordFor(check) === "problem").map(({ name }) => name);
    const end = ok
      ? line("Runs are possible.", "green")
      : line(`Runs are not possible before this is put right: ${problems.join(", ")}.`, "red");
    printLines(io.stdout, [...lines, line(""), end]);
  }
  return ok ? EXIT.ok : EXIT.notPassed;
}

function checkLine(check: Check, width: number): Line {
  const { name, ok, required, found, costs } = check;
  const text = `${wordFor(check).padEnd(8)}  ${name.padEnd(width)}  ${found}`;
  return ok ? line(text) : line(`${text}; ${costs}`, required ? "red" : "yellow");
}

/** What is optional and missing is no error: it is wanted by some runs only. */
function wordFor({ ok, required }: Check): "ok" | "problem" | "optional" {
  if (ok) return "ok";
  return required ? "problem" : "optional";
}
