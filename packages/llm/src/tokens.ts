import type { Tokens } from "@swarm/core";

/** As a provider reports it; a part that it left out, or sent as null, counts as none. */
export type ReportedTokens = { [K in keyof Tokens]: number | null | undefined };

/** Token counts, or null where the report cannot be true: without input and output, negative, or zero for a whole call. */
export function tokensOf(reported: ReportedTokens): Tokens | null {
  const { input, output } = reported;
  const parts = {
    reasoning: reported.reasoning ?? 0,
    cacheRead: reported.cacheRead ?? 0,
    cacheWrite: reported.cacheWrite ?? 0,
  };
  if (!isCount(input) || !isCount(output) || !Object.values(parts).every(isCount)) return null;
  if (input + output + parts.cacheRead + parts.cacheWrite === 0) return null;
  return { input, output, ...parts, reasoning: Math.min(parts.reasoning, output) };
}

/** The same for a report whose input includes what the cache served and stored, as OpenAI's does. */
export function tokensWithCacheInInput({ input, ...reported }: ReportedTokens): Tokens | null {
  const cached = (reported.cacheRead ?? 0) + (reported.cacheWrite ?? 0);
  return tokensOf({ ...reported, input: isCount(input) ? Math.max(0, input - cached) : null });
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
