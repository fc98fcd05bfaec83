import type { Budget } from "../contracts/budget.ts";
import type { EventKind, Payload } from "../contracts/event.ts";
import type { Team } from "../contracts/team.ts";
import type { Trajectory } from "../contracts/trajectory.ts";
import { SwarmError } from "../errors.ts";
import { createGuard } from "../guard/create-guard.ts";
import { Journal } from "../log/journal.ts";
import { isDecided, ownEvents } from "../log/past.ts";
import type { EventStream } from "./event-stream.ts";
import { handBack } from "./hand-back.ts";
import type { Launch } from "./run-options.ts";
import { trajectoryOf } from "./trajectory.ts";
import { WorkflowEngine } from "./workflow-engine.ts";

/** Runs what was opened to its end, and closes everything that it opened. */
export async function drive(launch: Launch, abort: AbortController, stream: EventStream): Promise<Trajectory> {
  const { ports, past, writer, replay, directory = null } = launch;
  const { team, sandbox, store, clock, redact } = ports;
  const limits = replay ? {} : { ...past.header.limits, ...ports.limits }; // what a run was allowed is no part of what it did
  const { blobs } = sandbox;
  if (blobs.sync) writer.syncAfter?.(() => blobs.sync!());
  const journal = new Journal(past, {
    writer,
    clock,
    limits,
    roleLimits: replay ? {} : roleLimitsOf(team),
    redact,
    signal: abort.signal,
    onEvent: (event) => stream.push(event),
  });
  stream.onListenerError = (message) => {
    const payload = { type: "note", note: { event: "listener_failed", message } } as const;
    void appendAmbient(journal, "failure", payload, abort.signal).catch(() => {}); // the run itself fails if its log does
  };
  for (const event of past.events) stream.push(event);

  try {
    if (!isDecided(past.events)) await work(launch, journal, limits, abort);
    const note = directory && (await handBack(directory, journal, ports));
    if (note)
      await appendAmbient(journal, note.written ? "checkpoint" : "failure", { type: "note", note }, abort.signal);
  } finally {
    await journal.close().finally(() => directory?.release());
  }
  const { header, events } = journal;
  return trajectoryOf({ header, events, snapshots: sandbox.snapshots, location: store.location(header.runId) });
}

/** The run, until its verdict is in the log. */
async function work(
  { ports, task, past, winners, replay, directory, tookOver = null }: Launch,
  journal: Journal,
  { wallMs }: Partial<Budget>,
  abort: AbortController,
): Promise<void> {
  const { team, sandbox, tests, oracle, executor, clock, redact } = ports;
  const guard = ports.guard ?? createGuard({ clock });
  const stopClock =
    wallMs === undefined
      ? () => {}
      : clock.after(Math.max(0, wallMs - journal.elapsedMs()), () => abort.abort(tooLong(wallMs)));
  try {
    const { parent } = past.header;
    if (ownEvents(past).length > 0) {
      const payload = { type: "recovered", how: "resume", detail: { at: past.events.length, tookOver } } as const;
      await appendAmbient(journal, "recovery", payload, abort.signal);
    } else if (parent) {
      const note = { event: "forked", run: parent.runId, at: parent.at };
      await appendAmbient(journal, "checkpoint", { type: "note", note }, abort.signal);
    }
    if (directory && directory.tookOver !== null) {
      const note = { event: "workspace_taken_over", pid: directory.tookOver };
      await appendAmbient(journal, "recovery", { type: "note", note }, abort.signal);
    }
    await new WorkflowEngine(executor).run(
      {
        task,
        site: { team, sandbox, tests, guard, redact, ...(replay ? { replay } : {}) },
        oracle,
        journal,
        winners,
        secrets: ports.secrets,
      },
      abort.signal,
    );
  } finally {
    stopClock();
    if (ports.guard === null) guard.dispose();
  }
}

function roleLimitsOf(team: Team): Record<string, Partial<Budget>> {
  return Object.fromEntries(
    Object.entries(team.roles).flatMap(([name, { limits }]) => (limits ? [[name, limits]] : [])),
  );
}

function tooLong(wallMs: number): SwarmError {
  return new SwarmError("TIMEOUT", `the run took longer than its limit of ${wallMs} ms`);
}

function appendAmbient(journal: Journal, kind: EventKind, payload: Payload, signal: AbortSignal): Promise<void> {
  return journal.append([{ stepId: "run", key: null, kind, agent: null, payload }], signal);
}
