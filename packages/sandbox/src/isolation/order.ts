import type { Command } from "./isolation.ts";

/** Bytes of an order: a longer argument is none that the system starts a program with. */
const LONGEST = 100_000;

/**
 * A command as a line for a shell in the sandbox that waits for one. Each argument and value is quoted, so that the shell finds nothing
 * in it to parse. Null for a command that cannot be told so: it is to be started by its arguments.
 *
 * @param limits shell code, as for `joinAndExec`
 * @param input the descriptor of the command's input, where it has some
 */
export function orderOf({ argv, env, options }: Command, limits: string, input: number): string | null {
  if (!Object.keys(env).every((name) => /^[A-Za-z_]\w*$/.test(name))) return null;
  const variables = Object.entries(env).map(([name, value]) => `export ${name}=${quoted(value)}`);
  const from = options.input === undefined ? "/dev/null" : `&${input}`;
  const line = [limits, ...variables, `exec 0<${from} ${input}<&- 2>&1`, `exec ${argv.map(quoted).join(" ")}`];
  const order = `${line.join("; ")}\n`;
  return Buffer.byteLength(order) <= LONGEST ? order : null;
}

/** One word for a shell, whatever it holds. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
