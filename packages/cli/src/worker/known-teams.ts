import type { KnownTeam } from "@swarm/executors";
import { loadTask, mockModel } from "@swarm/tasks";
import { clientsOfTeam, type ModelOptions, silentModel } from "../run/models.ts";
import { teamOf } from "../run/team.ts";
import type { Settings } from "../settings/settings.ts";
import { TEAMS } from "../teams/teams.ts";

/**
 * The command's teams, each as a worker makes it: from a step's configuration, with the keys that are set here. A script that
 * plays a team is that of the built-in task.
 */
export function knownTeams(settings: Settings, options: ModelOptions): KnownTeam[] {
  return Object.values(TEAMS).map((entry) => {
    const { name, version } = teamOf(entry, { model: silentModel("worker:none") }, settings);
    return {
      name,
      version,
      async make(config, { task }) {
        const ref = { name, version, config };
        const play = async (ids: readonly string[]) => {
          const model = mockModel(await loadTask(task.id), { team: entry.name });
          return new Map(ids.map((id) => [id, { ...model, id }]));
        };
        const models = await clientsOfTeam(ref, play, settings, options);
        return entry.from(ref, (id) => models.get(id)!);
      },
    };
  });
}
