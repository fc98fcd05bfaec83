import type { JsonObject, Part } from "@swarm/core";

/** A tool call as one line of a shell, for formats whose agents know nothing else: a command as it is, any other by its name. */
export function commandOf(part: Extract<Part, { type: "tool" | "malformed" }>): string {
  const args: JsonObject = part.type === "tool" ? part.args : { text: part.text };
  const { command, argv } = args;
  if (typeof command === "string") return command;
  if (Array.isArray(argv)) return argv.map((word) => quoted(String(word))).join(" ");
  return `${part.tool} ${JSON.stringify(args)}`;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
