// The team of a worker in the chaos tests: `codeswarm` on a built-in task, its model a script that writes down each call it is asked for.
import { appendFileSync } from "node:fs";
import { codeswarm, codeswarmFrom } from "@swarm/agents";
import type { CallSite, LLMClient, Team, TeamRef } from "@swarm/core";
import { directoryBlobs, localSandbox } from "@swarm/sandbox";
import { loadTask, mockModel } from "@swarm/tasks";

/** What a process is told in its environment, as JSON in `SWARM_CHAOS`. */
export type Told = {
  taskId: string;
  /** Its own objects, as if on a machine of its own, and those that all machines reach. */
  own: string;
  shared: string;
  /** Where all workers write down each call of a model. */
  ledger: string;
  /** The place of a model call that ends whoever makes it; null: there is none. */
  poison: string | null;
};

/** A line of the ledger. */
export type Billed = { site: string; at: number };

/** Where a call is made, as tests that look into logs name it. */
export const siteOf = ({ stepId, role, attempt, nth }: CallSite) => `${stepId}|${role}|${attempt}.${nth}`;

export const { name, version } = codeswarm({ model: { id: "none:none" } as LLMClient });

/** What a worker process calls, and the module that a `ProcessExecutor` is given. */
export function makeTeam(ref: TeamRef): Promise<Team> {
  return teamOf(JSON.parse(process.env["SWARM_CHAOS"]!) as Told, ref);
}

export async function teamOf({ taskId, poison, ledger, ...places }: Told, ref?: TeamRef): Promise<Team> {
  const script = mockModel(await loadTask(taskId));
  const model: LLMClient = {
    ...script,
    async complete(request, options) {
      const site = siteOf(options.at);
      appendFileSync(ledger, `${JSON.stringify({ site, at: Date.now() } satisfies Billed)}\n`);
      if (site === poison) process.kill(process.pid, "SIGKILL");
      return await script.complete(request, options);
    },
  };
  const team = ref ? codeswarmFrom(ref, () => model) : codeswarm({ model });
  return { ...team, defaults: { ...team.defaults, sandbox: () => sandboxOf(places) } };
}

const sandboxes = new Map<string, ReturnType<typeof localSandbox>>();

/** One for all attempts of a process, as workers have. Commands are plain processes: nothing but Swarm ends those of a dead worker. */
function sandboxOf({ own, shared }: Pick<Told, "own" | "shared">) {
  const made = sandboxes.get(own) ?? localSandbox({ store: own, shared: directoryBlobs(shared), isolation: "none" });
  sandboxes.set(own, made);
  return made;
}
