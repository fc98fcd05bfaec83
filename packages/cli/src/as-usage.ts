import { InvalidInputError } from "@swarm/core";
import { usageError } from "./parse-command-line.ts";

/** What the library refuses, as an error of the flag or variable that it is about, by the field's name. */
export function asUsage(error: unknown, names: Readonly<Record<string, string>>): unknown {
  if (!(error instanceof InvalidInputError)) return error;
  const name = names[error.field];
  return name === undefined ? error : usageError(name, error.message.replace(`${error.field}: `, ""));
}
