import { SwarmError, type TeamRef } from "@swarm/core";

type Served = Pick<TeamRef, "name" | "version">;

/** Throws where none of the workers that are there serves a team, and names theirs. `also` is told with it. */
export function requireServed(
  { name, version }: Served,
  served: readonly Served[],
  also: readonly string[] = [],
): void {
  if (served.some((team) => team.name === name && team.version === version)) return;
  const known = [...new Set(served.map((team) => `${team.name} ${team.version}`))].join(", ") || "no team";
  const problem = `the workers serve ${known}; the run is for ${name} ${version}`;
  throw new SwarmError("TEAM_MISMATCH", [problem, ...also].join("; "));
}
