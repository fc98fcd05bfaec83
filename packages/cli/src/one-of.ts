import { usageError } from "./parse-command-line.ts";

export const ISOLATIONS = ["required", "preferred", "none"] as const;

/** A flag's value as one of its choices. Throws for another one, and names them. */
export function oneOf<T extends string>(flag: string, text: string, choices: readonly T[]): T {
  const choice = choices.find((name) => name === text);
  if (choice) return choice;
  throw usageError(flag, `has to be one of ${choices.join(", ")}, and is ${JSON.stringify(text)}`);
}
