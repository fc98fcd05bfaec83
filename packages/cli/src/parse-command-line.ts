import { parseArgs } from "node:util";
import { didYouMean, InvalidInputError } from "@swarm/core";
import { COMMAND_NAMES, COMMANDS, type Command, type CommandName, type Flag, type OptionsOf } from "./flags.ts";

/** A command with its options, of that command's type. `argument` is the first of its `words`. */
export type Call<C extends CommandName = CommandName> = {
  [N in C]: { command: N; options: OptionsOf<N>; argument: string | null; words: string[] };
}[C];
export type CommandLine = Call | { help: CommandName | null } | { version: true };

/** Throws an {@link InvalidInputError} with the code `USAGE` that names the flag and says what would be right. */
export function parseCommandLine(argv: readonly string[]): CommandLine {
  const [first, ...rest] = argv;
  if (first === "--help" || first === "-h") return { help: null };
  if (first === "--version") return { version: true };
  const command = COMMAND_NAMES.find((name) => name === first);
  if (command === undefined) throw noCommand(first);
  if (asksForHelp(rest)) return { help: command };
  return { command, ...parseOptions(command, COMMANDS[command], rest) } as Call;
}

/** An error that concerns how the command was called. */
export function usageError(field: string, message: string): InvalidInputError {
  return new InvalidInputError(field, message, { code: "USAGE" });
}

function noCommand(word: string | undefined): InvalidInputError {
  const known = `the commands are ${COMMAND_NAMES.join(", ")}; see swarm --help`;
  if (word === undefined) return usageError("command", `is missing: ${known}`);
  const [kind, near] = word.startsWith("-")
    ? ["flag of swarm", didYouMean(word, ["--help", "--version"])]
    : ["command", didYouMean(word, COMMAND_NAMES)];
  return usageError(word, `is no ${kind}${near || `: ${known}`}`);
}

function asksForHelp(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  return words.slice(0, end === -1 ? undefined : end).some((word) => word === "--help" || word === "-h");
}

function parseOptions(command: CommandName, { flags, argument }: Command, args: string[]) {
  const options = Object.fromEntries(
    flags.map(({ name, value }) => [name, { type: value === null ? ("boolean" as const) : ("string" as const) }]),
  );
  const { tokens } = parseArgs({ args, options, strict: false, allowPositionals: true, tokens: true });
  const given: Record<string, string[]> = {};
  const words: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") words.push(token.value);
    if (token.kind !== "option") continue;
    const flag = flags.find(({ name }) => token.rawName === `--${name}`);
    if (!flag) throw unknownFlag(command, token.rawName, flags);
    const before = given[flag.name] ?? [];
    if (before.length > 0 && !flag.multiple) throw usageError(`--${flag.name}`, "is given twice; give it once");
    given[flag.name] = [...before, givenValue(flag, token.value, token.inlineValue ?? false)];
  }
  const most = argument?.many ? Number.POSITIVE_INFINITY : argument ? 1 : 0;
  if (words.length > most) {
    const expected = argument
      ? `takes one ${argument.name}${argument.optional ? ", in quotes" : ""}`
      : "takes flags only";
    throw usageError(JSON.stringify(words[most]), `is not expected: swarm ${command} ${expected}`);
  }
  const [word = null] = words;
  if (argument && !argument.optional && word === null) throw usageError(argument.name, `is missing: ${argument.help}`);
  return {
    argument: word,
    words,
    options: Object.fromEntries(flags.map((flag) => [flag.name, optionOf(flag, given[flag.name] ?? [])])),
  };
}

function givenValue({ name, value, number }: Flag, given: string | undefined, inline: boolean): string {
  if (value === null) {
    if (inline) throw usageError(`--${name}`, `takes no value, and was given ${JSON.stringify(given)}`);
    return "";
  }
  const isFlag = given?.startsWith("-") && !inline && !(number && /^-\.?\d/.test(given));
  if (given === undefined || given === "" || isFlag) throw usageError(`--${name}`, `needs a value: --${name} ${value}`);
  return given;
}

function optionOf({ value, multiple, default: otherwise }: Flag, given: readonly string[]) {
  if (value === null) return given.length > 0;
  if (multiple) return given;
  return given[0] ?? otherwise ?? undefined;
}

function unknownFlag(command: CommandName, name: string, flags: readonly Flag[]): InvalidInputError {
  const known = [...flags.map((flag) => `--${flag.name}`), "--help"];
  const near = didYouMean(name, known) || `; its flags are ${known.join(", ")}`;
  return usageError(name, `is no flag of swarm ${command}${near}`);
}
