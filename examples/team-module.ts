// What a worker process loads to make its team: see process-executor.ts.
import { codeswarmFrom } from "@swarm/agents";
import type { Team, TeamRef } from "@swarm/core";
import { loadTask, mockModel } from "@swarm/tasks";

/** Makes the team that a step names. A worker with real models would resolve their ids here, with its own keys. */
export async function makeTeam(ref: TeamRef): Promise<Team> {
  const mocks = new Map<string, ReturnType<typeof mockModel>>();
  for (const id of Object.values(ref.config["models"] as Record<string, string[]>).flat()) {
    mocks.set(id, mockModel(await loadTask(id.replace("mock:", ""))));
  }
  return codeswarmFrom(ref, (id) => mocks.get(id)!);
}
