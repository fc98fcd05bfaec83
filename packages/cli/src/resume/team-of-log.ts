import {
  InvalidInputError,
  type LLMClient,
  type LogHeader,
  type Memory,
  type ModelId,
  SwarmError,
  type Team,
} from "@swarm/core";
import { type LoadedTask, loadTask, mockModel, readTasks } from "@swarm/tasks";
import { clientsOf, type ModelOptions } from "../run/models.ts";
import type { Origin } from "../run/wanted-task.ts";
import type { Settings } from "../settings/settings.ts";
import type { TeamRole } from "../teams/roles.ts";
import { rolesOf, teamOfRef } from "../teams/teams.ts";

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
  const rolesOf = [...rolesByModel(teamOfLog(header, new Map()))];
  const isScript = ([id]: [ModelId, unknown]) => id.startsWith("mock:");
  const scripts = rolesOf.filter(isScript).map(([id]) => id);
  const others = new Map(rolesOf.filter((entry) => !isScript(entry)));
  const played = scripts.length > 0 ? await scripted(header, scripts) : [];
  return new Map([...played, ...(await clientsOf(others, settings, options))]);
}

function rolesByModel(team: Team): Map<ModelId, TeamRole[]> {
  const pairs = rolesOf(teamOfRef(team)).flatMap((role) => team.roles[role]!.models.map(({ id }) => ({ id, role })));
  return new Map([...Map.groupBy(pairs, ({ id }) => id)].map(([id, of]) => [id, of.map(({ role }) => role)]));
}

async function scripted(header: LogHeader, ids: readonly ModelId[]): Promise<Map<ModelId, LLMClient>> {
  const origin = header.measured["origin"] as Partial<Origin> | undefined;
  if (typeof origin?.task !== "string") {
    throw new InvalidInputError("run", "was played by a script, and its log does not say of which task");
  }
  const model = mockModel(await taskOf({ task: origin.task, ...(origin.tasks ? { tasks: origin.tasks } : {}) }), {
    team: teamOfRef(header.team).name,
  });
  return new Map(ids.map((id) => [id, { ...model, id, price: header.prices[id] ?? null }]));
}

async function taskOf({ task, tasks }: Origin): Promise<LoadedTask> {
  if (tasks === undefined) return await loadTask(task);
  for await (const one of readTasks(tasks)) if (one.id === task) return one;
  throw new InvalidInputError("run", `its task ${task} is no longer in ${tasks}`);
}

/** For a team that asks its models nothing, such as one of a run that has its verdict. */
function silentModel(id: ModelId): LLMClient {
  return {
    specificationVersion: "v1",
    id,
    window: null,
    price: null,
    async complete() {
      throw new SwarmError("MODEL_ASKED", `${id} was asked, where every answer has to be in the log`);
    },
  };
}
