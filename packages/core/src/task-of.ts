import type { Task } from "./contracts/task.ts";
import { InvalidInputError } from "./errors.ts";
import { sha256 } from "./json-value.ts";

const MOST_WORDS = 6;
const MOST_LETTERS = 60;

/**
 * The task that a requirement in words is: it begins with no file, and brings no test. So its team writes the tests, and its verdict is
 * `passed` at best, never `verified`. Its id is made from its first words, and is the same for the same text. Throws an
 * {@link InvalidInputError} for a text without any.
 */
export function taskOf(requirement: string): Task {
  const prompt = requirement.trim();
  if (prompt === "") throw new InvalidInputError("task", "is empty: say what is to be built");
  const words = prompt.toLowerCase().match(/[a-z0-9]+/g) ?? ["requirement"];
  const name = words.slice(0, MOST_WORDS).join("-").slice(0, MOST_LETTERS);
  return { id: `${name}-${sha256(prompt).slice(0, 6)}`, prompt, source: { files: {} } };
}
