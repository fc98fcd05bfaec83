import { type Memory, type Recollection, type Role, type StepHost, SwarmError, type Team } from "@swarm/core";

/** Which roles of a run have a memory, with all of it but the memory itself: that is where the run is, and asked there. */
export type Memories = Readonly<Record<string, Omit<NonNullable<Role["memory"]>, "store">>>;

export type RecallAsk = { role: string; question: string; limit: number };

export async function memoriesOf(host: StepHost): Promise<Memories> {
  const { team } = await host.site();
  return Object.fromEntries(
    Object.entries(team.roles).flatMap(([name, { memory }]) => {
      if (!memory) return [];
      const { store: _, ...rest } = memory;
      return [[name, rest]];
    }),
  );
}

/** Asks a memory of the run itself. */
export async function recallAt(host: StepHost, { role, question, limit }: RecallAsk): Promise<Recollection[]> {
  const { team } = await host.site();
  const memory = team.roles[role]?.memory;
  if (!memory) throw new SwarmError("WORKER_FAILED", `the run's ${role} has no memory`);
  return await memory.store.recall(question, { limit, signal: host.signal });
}

/** A worker's team with the memories of the run in place of its own, so that its programs are told the same as anywhere. */
export function withMemories(
  team: Team,
  memories: Memories,
  recall: (ask: RecallAsk, signal: AbortSignal) => Promise<Recollection[]>,
): Team {
  const storeOf = (role: string): Memory => ({
    specificationVersion: "v1",
    recall: (question, { limit, signal }) => recall({ role, question, limit }, signal),
  });
  const roles = Object.entries(team.roles).map(([name, { memory: _, ...role }]): [string, Role] => {
    const rest = memories[name];
    return [name, rest ? { ...role, memory: { ...rest, store: storeOf(name) } } : role];
  });
  return { ...team, roles: Object.fromEntries(roles) };
}
