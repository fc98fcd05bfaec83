import type { LogHeader } from "../contracts/event.ts";

/** The header of a log of which only the events matter. */
export const plainHeader: LogHeader = {
  schema: 1,
  runId: "r",
  task: { id: "t", prompt: "p" },
  taskSha256: "00",
  base: "11",
  team: { name: "n", version: "1", config: {} },
  limits: {},
  prices: {},
  tier: "memory",
  parent: null,
  measured: {},
};
