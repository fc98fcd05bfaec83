import { defineProgram, type Json, type JsonObject, JsonSchema, type Team, type TeamRef } from "@swarm/core";
import { conformanceTeam } from "@swarm/core/testing";

/** The teams of the benchmark, for a worker as for the run. */
export const makeTeam = ({ name, config }: Pick<TeamRef, "name" | "config">): Team =>
  name === "idle" ? idleTeam(config) : conformanceTeam(config);

/** `config.steps` steps, one after another, that do nothing: what they cost is what it costs to have steps. */
function idleTeam(config: JsonObject): Team {
  const { steps } = config as { steps: number };
  return {
    ...conformanceTeam(),
    ...{ name: "idle", config, roles: {}, programs: [nothing] },
    async workflow(run) {
      for (let nth = 0; nth < steps; nth++) await run.step(nothing, nth);
      return null;
    },
  };
}

const nothing = defineProgram<Json, Json>({
  name: "nothing",
  input: JsonSchema,
  output: JsonSchema,
  attempt: async (context) => context.done(null),
});
