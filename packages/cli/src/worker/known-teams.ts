import { type LLMClient, type ModelId, SwarmError, type Team, type TeamRef } from "@swarm/core";
import type { KnownTeam } from "@swarm/executors";
import { loadTask, mockModel } from "@swarm/tasks";
import { clientsOf, type ModelOptions } from "../run/models.ts";
import { teamOf } from "../run/team.ts";
import type { Settings } from "../settings/settings.ts";
import type { TeamEntry } from "../teams/entry.ts";
import { rolesOf, TEAMS } from "../teams/teams.ts";

/** The command's teams, each as a worker makes it: from a step's configuration, with the keys that are set here. */
export function knownTeams(settings: Settings, options: ModelOptions): KnownTeam[] {
  return Object.values(TEAMS).map((entry) => {
    const { name, version } = teamOf(entry, { model: silentModel("worker:none") }, settings);
    return {
      name,
      version,
      async make(config, { task }) {
        const ref = { name, version, config };
        const models = await modelsFor(entry, ref, task.id, settings, options);
        return entry.from(ref, (id) => models.get(id)!, {});
      },
    };
  });
}

/** The clients of the models that a step's team names; those that a script plays are of the built-in task. */
async function modelsFor(
  entry: TeamEntry,
  ref: TeamRef,
  task: string,
  settings: Settings,
  options: ModelOptions,
): Promise<Map<ModelId, LLMClient>> {
  const team: Team = entry.from(ref, silentModel, {});
  const pairs = rolesOf(entry).flatMap((role) => (team.roles[role]?.models ?? []).map(({ id }) => ({ id, role })));
  const wanted = Map.groupBy(pairs, ({ id }) => id);
  const scripts = [...wanted.keys()].filter((id) => id.startsWith("mock:"));
  const others = new Map(
    [...wanted].filter(([id]) => !scripts.includes(id)).map(([id, of]) => [id, of.map(({ role }) => role)]),
  );
  const clients = await clientsOf(others, settings, options);
  if (scripts.length > 0) {
    const model = mockModel(await loadTask(task), { team: entry.name });
    for (const id of scripts) clients.set(id, { ...model, id });
  }
  return clients;
}

/** For a team that is only looked at. */
function silentModel(id: ModelId): LLMClient {
  return {
    specificationVersion: "v1",
    id,
    window: null,
    price: null,
    async complete() {
      throw new SwarmError("MODEL_ASKED", `${id} was asked by a team that nobody runs`);
    },
  };
}
