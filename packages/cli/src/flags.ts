import type { Flag } from "./flags/flag.ts";
import { JUDGING } from "./flags/judging.ts";
import { READING } from "./flags/reading.ts";
import { RUNNING } from "./flags/running.ts";
import { UPKEEP } from "./flags/upkeep.ts";

export type { Command, Flag } from "./flags/flag.ts";

/** Every command with every flag. */
export const COMMANDS = { ...RUNNING, ...READING, ...JUDGING, ...UPKEEP } as const;

export type CommandName = keyof typeof COMMANDS;
export const COMMAND_NAMES = Object.keys(COMMANDS) as CommandName[];

/** What the flags of a command were set to. */
export type OptionsOf<C extends CommandName> = {
  [F in (typeof COMMANDS)[C]["flags"][number] as F["name"]]: ValueOf<F>;
};
type ValueOf<F extends Flag> = F["value"] extends null
  ? boolean
  : F extends { multiple: true }
    ? string[]
    : F["default"] extends string
      ? string
      : string | undefined;
