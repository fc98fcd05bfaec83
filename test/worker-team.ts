import { codeswarmFrom } from "@swarm/agents";
import type { Team, TeamRef } from "@swarm/core";
import { localSandbox } from "@swarm/sandbox";
import { loadTask, mockModel } from "@swarm/tasks";

/** The team of a worker in these tests: scripted models, and the object store that the test shares with it. */
export async function makeTeam(ref: TeamRef): Promise<Team> {
  const ids = Object.values(ref.config["models"] as Record<string, string[]>).flat();
  const models = new Map(
    await Promise.all(ids.map(async (id) => [id, mockModel(await loadTask(id.replace("mock:", "")))] as const)),
  );
  const team = codeswarmFrom(ref, (id) => models.get(id)!);
  const store = process.env["SWARM_TEST_STORE"]!;
  return { ...team, defaults: { ...team.defaults, sandbox: () => localSandbox({ store }) } };
}
