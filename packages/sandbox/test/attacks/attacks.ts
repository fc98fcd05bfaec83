import type { Attack } from "./attack.ts";
import { changing } from "./changing.ts";
import { exhausting } from "./exhausting.ts";
import { outliving } from "./outliving.ts";
import { reaching } from "./reaching.ts";
import { reading } from "./reading.ts";
import { trapping } from "./trapping.ts";

/** All attacks that are a command in a workspace, by what they are after. */
export const ATTACKS: Readonly<Record<string, readonly Attack[]>> = {
  "Read what is not its own": reading,
  "Reach others": reaching,
  "Change what is not its own": changing,
  "Live on": outliving,
  "Use up the machine": exhausting,
  "Trap the host": trapping,
};
