import { type Done, headAndTail, type RunContext } from "@swarm/core";
import { type Consolidation, consolidated, evenGroups } from "./consolidation.ts";
import { draftSpec } from "./draft-spec.ts";
import { groupTasks } from "./group-tasks.ts";
import { MOST_TASKS, type Spec } from "./spec.ts";

export type Specified = Spec & { consolidation: Consolidation | null };

/** A fault of the machinery, or an answer that does not fit: made once more from a clean thread. */
const ONCE_MORE = { maxRetries: 1 };

type Limits = { maxCalls: number; windowTurns: number };

/** A specification with few enough tasks: as the PM drafts it, and grouped by the PM or else by rule where they are too many. */
export async function specify(run: RunContext, limits: Limits): Promise<Done<Specified>> {
  const drafted = await run.step(draftSpec, limits, ONCE_MORE);
  if (!drafted.ok) return drafted;
  const { criteria, tasks } = drafted.output;
  if (tasks.length <= MOST_TASKS) return { ok: true, output: { criteria, tasks, consolidation: null } };

  const grouped = await run.step(groupTasks, { tasks, ...limits }, ONCE_MORE);
  if (!grouped.ok && grouped.fault.code === "CIRCUIT_OPEN") return grouped;
  const by = grouped.ok ? "model" : "rule";
  const fewer = consolidated(tasks, grouped.ok ? grouped.output.groups : evenGroups(tasks, MOST_TASKS));
  const consolidation: Consolidation = { by, mapping: fewer.mapping };
  const problem = grouped.ok ? null : headAndTail(grouped.fault.message, 1_000);
  await run.note("pm", { consolidation: { ...consolidation, problem } });
  return { ok: true, output: { criteria, tasks: fewer.tasks, consolidation } };
}
