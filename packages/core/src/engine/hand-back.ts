import type { HeldDirectory } from "../contracts/sandbox.ts";
import { messageOf } from "../errors.ts";
import type { Journal } from "../log/journal.ts";
import type { Ports } from "./run-options.ts";
import { trajectoryOf, WORKSPACE_NOTE } from "./trajectory.ts";

/** Writes what passed into the directory that the run works for, and what came of that into the log. */
export async function handBack(
  directory: HeldDirectory,
  { header, events }: Pick<Journal, "header" | "events">,
  { sandbox: { snapshots }, secrets }: Pick<Ports, "sandbox" | "secrets">,
): Promise<{ event: typeof WORKSPACE_NOTE; written: boolean; problem: string | null } | null> {
  const { verdict, state, workspace } = trajectoryOf({ header, events, snapshots, location: null });
  if (!verdict.passed || workspace?.written || header.workspace === undefined) return null;
  const { snapshot } = await snapshots.delivered(header.base, state.snapshot);
  const problem = await directory.change(header.workspace, snapshot, { secrets }).then(inTheWay, messageOf);
  return { event: WORKSPACE_NOTE, written: problem === null, problem };
}

function inTheWay(paths: readonly string[]): string | null {
  return paths.length === 0 ? null : `changed by somebody else while the run was under way: ${paths.join(", ")}`;
}
