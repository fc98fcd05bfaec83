import type { FrozenSuite } from "../contracts/suite.ts";
import { ContextError } from "../errors.ts";

/** The suites with these ids, and those that are given whole; all of `suites` when none is named. */
export function selectSuites(
  suites: readonly FrozenSuite[],
  wanted: readonly (string | FrozenSuite)[] | undefined,
): FrozenSuite[] {
  const ids = wanted?.filter((suite) => typeof suite === "string");
  const unknown = ids?.filter((id) => !suites.some((suite) => suite.id === id)) ?? [];
  if (unknown.length > 0) {
    const known = suites.map((suite) => suite.id).join(", ") || "none";
    throw new ContextError("UNKNOWN_SUITE", `there is no frozen suite ${unknown.join(", ")}; there are: ${known}`);
  }
  const whole = wanted?.filter((suite) => typeof suite !== "string") ?? [];
  return [...suites.filter((suite) => ids === undefined || ids.includes(suite.id)), ...whole];
}
