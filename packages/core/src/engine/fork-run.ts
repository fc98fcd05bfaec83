import { checkInput } from "../check-input.ts";
import type { Hint, LogHeader, RunEvent } from "../contracts/event.ts";
import { InvalidInputError } from "../errors.ts";
import type { LogContent } from "../log/log-store.ts";
import { winnersOf } from "../log/races.ts";
import { redactJson } from "../redact.ts";
import { pastUpTo, requireForkable } from "./fork-point.ts";
import { requireWorkspaceOf, sealedTask } from "./resume-run.ts";
import { modelsOf, type Ports, type RunOptions, resolvePorts } from "./run-options.ts";
import { launch, newRunId, preflight, type Run, RunIdSchema, refuseUnpriced } from "./start-run.ts";
import { withDirectory } from "./with-directory.ts";

export type ForkOptions = RunOptions & {
  /** The last event of the run that the fork shares, by its `tsIndex`: any before the verdict. */
  at: number;
  /** What each attempt from there on is told, once, where its next model is asked. Default: nothing. */
  hint?: string;
  /** The id of the new run. Default: one that is made up. */
  runId?: string;
};

/**
 * A new run that shares the past of the run `parent` up to an event, and goes on from the files of that moment with something
 * changed: the team's models, efforts, prompts or tools, the limits, a hint. The parent's log is only read; what it holds of the
 * past is copied. A call that had not ended by then is no part of it, and made by the fork, unless its effect is outside: that
 * one ends as interrupted where it is not idempotent, since the parent has made it.
 *
 * The budget counts what the fork spends itself. Limits that are not given are the parent's. Rejects as {@link startRun} does,
 * with an {@link InvalidInputError} for `at` where the run cannot be forked there, and `TEAM_MISMATCH` for a team of another
 * name. A team that does something else over the past than it holds ends the fork, and the verdict's reasons name the event.
 */
export function forkRun(parent: string, options: ForkOptions): Run {
  const { at, hint, runId = newRunId(), ...given } = options ?? {};
  return launch(runId, given.signal, async (signal) => {
    const ports = resolvePorts(given);
    checkInput(RunIdSchema, runId, { root: "runId" });
    if (hint !== undefined && (typeof hint !== "string" || hint.trim() === ""))
      throw new InvalidInputError("hint", "has to be a text that says something");
    const { header, events } = await ports.store.read(parent);
    requireForkable(events, at);
    requireSameTeam(header, ports);
    requireWorkspaceOf(header, ports);
    const task = await sealedTask(header, ports);
    refuseUnpriced({ ...header.limits, ...ports.limits }, ports);
    await preflight(ports, signal);
    const past = forkOf({ header, events }, { runId, at, hint: hint ?? null }, ports);
    return await withDirectory(ports, runId, async (directory) => {
      const writer = await ports.store.create(past.header, past.events);
      return { ports, task, past, writer, winners: winnersOf(past.events), directory };
    });
  });
}

function forkOf(
  { header: { workspace, crc32: _, ...header }, events }: LogContent,
  { runId, at, hint }: { runId: string; at: number; hint: string | null },
  { team, limits, sandbox, clock, redact, ...ports }: Ports,
): LogContent {
  const past = pastUpTo(events, at);
  const fork: LogHeader = {
    ...header,
    runId,
    ...(workspace === undefined || ports.workspace === null ? {} : { workspace }),
    team: { name: team.name, version: team.version, config: team.config },
    limits: { ...header.limits, ...limits },
    prices: { ...header.prices, ...Object.fromEntries(modelsOf(team).map(({ id, price }) => [id, price])) },
    tier: sandbox.tier,
    parent: {
      runId: header.runId,
      at,
      shared: past.length,
      team: header.team,
      limits: header.limits,
      hints: hintsFrom(header, past, hint),
    },
    measured: { ...header.measured, startedAt: new Date(clock.now()).toISOString() },
  };
  return { header: redactJson(fork, redact), events: past };
}

/** Those that the shared past was told, and the new one. */
function hintsFrom({ parent }: Pick<LogHeader, "parent">, past: readonly RunEvent[], hint: string | null): Hint[] {
  const told = parent?.hints.filter(({ from }) => from <= past.length) ?? [];
  return hint === null ? told : [...told, { text: hint, from: past.length }];
}

function requireSameTeam({ team: { name } }: LogHeader, { team }: Ports): void {
  if (team.name === name) return;
  throw new InvalidInputError("team", `the run is one of ${name}, and cannot be gone on with by ${team.name}`, {
    code: "TEAM_MISMATCH",
  });
}
