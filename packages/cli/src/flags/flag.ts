/** One flag of a command: what parsing, `--help` and the documentation are made from. */
export type Flag = {
  name: string;
  /** What stands for the value in help; null for a switch. */
  value: string | null;
  /** Taken when the flag is left out; null where there is no value then. */
  default: string | null;
  /** May be given several times. */
  multiple?: true;
  /** Its value is a number: one that begins with a minus is a value too, and no flag. */
  number?: true;
  help: string;
};
/** What a command is about, besides its flags: needed and one, or none too, or with `many` as many as there are. */
export type Argument = { name: string; help: string; optional?: true; many?: true };
export type Command = { summary: string; argument: Argument | null; flags: readonly Flag[] };
