import { EXIT_CODES } from "./exit-codes.ts";
import { COMMAND_NAMES, COMMANDS, type Command, type CommandName, type Flag } from "./flags.ts";
import { table } from "./view/table.ts";

/** The text of `swarm --help`, or of `swarm <command> --help`. */
export function helpText(command: CommandName | null): string {
  const sections = command === null ? overview() : commandHelp(command, COMMANDS[command]);
  return `${sections.join("\n\n")}\n`;
}

function overview(): string[] {
  return [
    "Usage: swarm <command> [flags]",
    section(
      "Commands",
      COMMAND_NAMES.map((name) => [name, COMMANDS[name].summary]),
    ),
    section("Flags", [
      ["--help", "This text; after a command, that of the command."],
      ["--version", "The version."],
    ]),
    section(
      "Exit codes",
      EXIT_CODES.map(({ code, when }) => [String(code), when]),
    ),
    "A run without a key, a network or a cost: swarm run --task binary-search-tree --mock",
  ];
}

function commandHelp(name: CommandName, { summary, argument, flags }: Command): string[] {
  return [
    `Usage: swarm ${name}${argument ? ` ${argument.name}` : ""} [flags]`,
    summary,
    ...(argument ? [section("Argument", [[argument.name, argument.help]])] : []),
    section(
      "Flags",
      flags.map((flag) => [flagUsage(flag), flagHelp(flag)]),
    ),
  ];
}

/** A flag with what stands for its value, such as `--runs <dir>`. */
function flagUsage({ name, value }: Flag): string {
  return value === null ? `--${name}` : `--${name} ${value}`;
}

function flagHelp({ help, default: otherwise }: Flag): string {
  return otherwise === null ? help : `${help} Default: ${otherwise}.`;
}

function section(title: string, rows: string[][]): string {
  return [`${title}:`, ...table(rows).map((line) => `  ${line}`)].join("\n");
}
