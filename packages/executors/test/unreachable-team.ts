import { type LLMClient, ProviderError, type Team, type TeamRef } from "@swarm/core";
import { conformanceTeam } from "@swarm/core/testing";

/** The conformance team with a model that never answers. */
export function makeTeam(ref: TeamRef): Team {
  const team = conformanceTeam(ref.config);
  const [model] = team.roles["coder"]!.models;
  const unreachable: LLMClient = {
    ...model,
    async complete() {
      throw new ProviderError("OVERLOADED", "busy", { retryable: true });
    },
  };
  const roles = Object.entries(team.roles).map(([name, role]) => [name, { ...role, models: [unreachable] as const }]);
  return { ...team, roles: Object.fromEntries(roles) };
}
