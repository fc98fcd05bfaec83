import type { OptionsOf } from "../flags.ts";
import {
  CODER_ITERATIONS,
  DEBUG_ITERATIONS,
  EXEC_TIMEOUT,
  QA_ITERATIONS,
  type Settings,
} from "../settings/settings.ts";
import type { TeamEntry } from "../teams/entry.ts";
import { requireTaken } from "../teams/teams.ts";
import { wholeNumber } from "./limits.ts";

const FLAGS = {
  "max-iterations": { setting: "coderMaxIterations", range: CODER_ITERATIONS },
  "qa-max-iterations": { setting: "qaMaxIterations", range: QA_ITERATIONS },
  "max-debug-iterations": { setting: "maxDebugIterations", range: DEBUG_ITERATIONS },
  "exec-timeout": { setting: "execTimeoutSeconds", range: EXEC_TIMEOUT },
} as const;
const NAMES = Object.keys(FLAGS) as (keyof typeof FLAGS)[];

/** What the flags set that stand for settings of teams. Throws for one that the team does not take, or that is out of its setting's range. */
export function teamFlags(options: Pick<OptionsOf<"run">, keyof typeof FLAGS>, team: TeamEntry): Partial<Settings> {
  const values: Partial<Settings> = {};
  for (const name of NAMES) {
    const text = options[name];
    if (text === undefined) continue;
    requireTaken(name, team);
    const { setting, range } = FLAGS[name];
    values[setting] = wholeNumber(`--${name}`, text, range);
  }
  return values;
}
