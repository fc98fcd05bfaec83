import { checkInput } from "../check-input.ts";
import type { LogHeader } from "../contracts/event.ts";
import type { Sandbox } from "../contracts/sandbox.ts";
import type { TeamRef } from "../contracts/step.ts";
import type { Task } from "../contracts/task.ts";
import { TaskSchema } from "../contracts/task.ts";
import { InvalidInputError, LogError } from "../errors.ts";
import { canonicalJson, sha256 } from "../json-value.ts";
import type { LogContent } from "../log/log-store.ts";
import { sharedOf } from "../log/past.ts";
import { winnersOf } from "../log/races.ts";
import { redactJson } from "../redact.ts";
import { type Ports, type RunOptions, resolvePorts } from "./run-options.ts";
import { launch, type Run } from "./start-run.ts";
import { withDirectory } from "./with-directory.ts";
import { withoutSecrets } from "./without-secrets.ts";

/**
 * Goes on with a run from its log: workflow and programs run again over it, a call whose end is there is not made again,
 * and one that was cut off is handled by its effect. A run that has its verdict gives it again and calls nothing. A run that
 * was started for a directory writes to it only if `workspace` is given again. Rejects with an {@link InvalidInputError} for a
 * team that is not the one that wrote the log (`TEAM_MISMATCH`), a {@link NotFoundError} for a run that is not there, and a
 * {@link LogError} for a log that is damaged or being written to.
 */
export function resumeRun(runId: string, options: RunOptions): Run {
  return launch(runId, options?.signal, async () => {
    const ports = resolvePorts(options);
    const { header, events } = await ports.store.read(runId);
    requireWholePast({ header, events });
    checkTeam(header, ports);
    const task = await sealedTask(header, ports);
    requireWorkspaceOf(header, ports);
    return await withDirectory(ports, runId, async (directory) => {
      const { writer, tookOver, ...past } = await ports.store.open(runId);
      return { ports, task, past, writer, tookOver, winners: winnersOf(past.events), directory };
    });
  });
}

/** Throws an {@link InvalidInputError} where the log of that name is not of this very task. */
export async function requireRunOf(task: Task, runId: string, options: RunOptions): Promise<void> {
  const ports = resolvePorts(options);
  const { header } = await ports.store.read(runId);
  const sealed = canonicalJson(withoutSecrets(checkInput(TaskSchema, task, { root: "task" }), ports));
  if (header.taskSha256 === sha256(sealed)) return;
  const problem = `is not the one of the run ${runId}, or not this version of it: put its log away, or name this one otherwise`;
  throw new InvalidInputError("task", problem, { code: "TASK_MISMATCH" });
}

/** A fork that lacks some of the past that it shares would take its own events for its parent's. */
function requireWholePast({ header, events }: LogContent): void {
  const shared = sharedOf(header);
  if (events.length >= shared) return;
  const problem = `the log ends after ${events.length} of the ${shared} events that it shares with run ${header.parent?.runId}`;
  throw new LogError("LOG_DAMAGED", `${problem}: fork that one again`);
}

/** A run that was started for no directory has nothing that changes there could be counted from. */
export function requireWorkspaceOf(header: LogHeader, { workspace }: Pick<Ports, "workspace">): void {
  if (workspace === null || header.workspace !== undefined) return;
  throw new InvalidInputError("workspace", "the run was started without one; leave it out");
}

/** The whole task of a run, from the blob that its header names. Rejects with a {@link NotFoundError} where it is gone. */
export async function sealedTask(
  { taskSha256 }: LogHeader,
  { sandbox }: { sandbox: Pick<Sandbox, "blobs"> },
): Promise<Task> {
  const bytes = await sandbox.blobs.get(taskSha256);
  return checkInput(TaskSchema, JSON.parse(new TextDecoder().decode(bytes)), { root: "task" });
}

/** Another team, or another version of it, would do other things than the log holds. */
export function checkTeam({ team: recorded }: LogHeader, { team, redact }: Pick<Ports, "team" | "redact">): void {
  const told = (ref: TeamRef) => `${ref.name} ${ref.version} with ${canonicalJson(ref.config)}`;
  const [then, now] = [
    told(recorded),
    told({ name: team.name, version: team.version, config: redactJson(team.config, redact) }),
  ];
  if (then === now) return;
  throw new InvalidInputError("team", `the log was written by ${then}, not by ${now}`, { code: "TEAM_MISMATCH" });
}
