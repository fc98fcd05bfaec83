import { SandboxError, type Workspace } from "@swarm/core";
import { fileOfBytes } from "../text/bytes.ts";
import { isExecutable, setExecutable } from "../workspace/executable.ts";
import { kindOf } from "../workspace/kind-of.ts";
import type { Plan } from "./plan-patch.ts";

/** Carries out a plan as a whole: when a part of it fails, what was done before is undone, and the failure thrown. */
export async function commitPlan(workspace: Workspace, plan: Plan, signal: AbortSignal): Promise<void> {
  const undo: (() => Promise<void>)[] = [];
  try {
    for (const path of plan.removes) await remove(workspace, path, undo, signal);
    for (const { path, content } of plan.writes) await write(workspace, path, fileOfBytes(content), undo);
    for (const { path, executable } of plan.writes) {
      if (executable !== null) await setExecutable(workspace, path, executable, signal);
    }
  } catch (error) {
    await undoAll(undo, error);
    throw error;
  }
}

async function remove(
  workspace: Workspace,
  path: string,
  undo: (() => Promise<void>)[],
  signal: AbortSignal,
): Promise<void> {
  const before = await workspace.read(path);
  const executable = await isExecutable(workspace, path, signal);
  await workspace.remove(path);
  undo.push(async () => {
    await workspace.write(path, before);
    if (executable) await setExecutable(workspace, path, true, signal);
  });
}

async function write(
  workspace: Workspace,
  path: string,
  data: Uint8Array,
  undo: (() => Promise<void>)[],
): Promise<void> {
  const kind = await kindOf(workspace, path);
  const before = kind === "file" ? await workspace.read(path) : null;
  if (kind === "directory") await workspace.remove(path); // nothing but folders is left in it
  await workspace.write(path, data, { onlyNew: before === null });
  undo.push(() => (before === null ? workspace.remove(path) : workspace.write(path, before)));
}

async function undoAll(undo: readonly (() => Promise<void>)[], cause: unknown): Promise<void> {
  try {
    for (const step of undo.toReversed()) await step();
  } catch (error) {
    throw new SandboxError("a patch failed half-way and could not be taken back", {
      cause: new AggregateError([cause, error]),
    });
  }
}
