import { InvalidInputError, type LLMClient, type LogHeader, type Memory, type ModelId, type Team } from "@swarm/core";
import { type LoadedTask, loadTask, mockModel, readTasks } from "@swarm/tasks";
import { clientsOfTeam, type ModelOptions, silentModel } from "../run/models.ts";
import type { Origin } from "../run/wanted-task.ts";
import type { Settings } from "../settings/settings.ts";
import type { TeamName } from "../teams/names.ts";
import { teamOfRef } from "../teams/teams.ts";

/** The team that wrote a log. Throws `TEAM_MISMATCH` where there is none such here. */
export function teamOfLog({ team }: LogHeader, clients: ReadonlyMap<ModelId, LLMClient>, memory?: Memory): Team {
  return teamOfRef(team).from(team, (id) => clients.get(id) ?? silentModel(id), memory ? { memory } : {});
}

/** The clients that go on with a run: the script where a script began it. Throws for a model that cannot be called. */
export async function clientsOfLog(
  header: LogHeader,
  settings: Settings,
  options: ModelOptions,
): Promise<Map<ModelId, LLMClient>> {
  return await clientsOfTeam(header.team, (ids, team) => scripted(header, ids, team), settings, options);
}

async function scripted(header: LogHeader, ids: readonly ModelId[], team: TeamName): Promise<Map<ModelId, LLMClient>> {
  const origin = header.measured["origin"] as Partial<Origin> | undefined;
  if (typeof origin?.task !== "string") {
    throw new InvalidInputError("run", "was played by a script, and its log does not say of which task");
  }
  const task = await taskOf({ task: origin.task, ...(origin.tasks ? { tasks: origin.tasks } : {}) });
  const model = mockModel(task, { team });
  return new Map(ids.map((id) => [id, { ...model, id, price: header.prices[id] ?? null }]));
}

async function taskOf({ task, tasks }: Origin): Promise<LoadedTask> {
  if (tasks === undefined) return await loadTask(task);
  for await (const one of readTasks(tasks)) if (one.id === task) return one;
  throw new InvalidInputError("run", `its task ${task} is no longer in ${tasks}`);
}
