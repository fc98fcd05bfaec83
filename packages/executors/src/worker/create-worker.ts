import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import {
  InvalidInputError,
  type JsonObject,
  type Sandbox,
  type Step,
  SwarmError,
  type Team,
  type TeamRef,
  type TestRunner,
} from "@swarm/core";
import { requireRoom } from "../full-disk.ts";
import { Guards } from "../guards.ts";
import { withMemories } from "../memories.ts";
import { ownSecrets, performHere } from "../perform-here.ts";
import { errorData } from "../protocol.ts";
import type { Delivery } from "../remote/delivery.ts";
import { AttemptOverError, GateClient } from "../remote/gate-client.ts";
import type { Taken } from "../remote/requests.ts";

/** A team that a worker knows: `make` makes it from a step's configuration, with the worker's own keys. */
export type KnownTeam = {
  name: string;
  version: string;
  make(config: JsonObject, step: Pick<Step, "task">): Team | Promise<Team>;
};

export type WorkerOptions = {
  /** Several versions of one team may be there side by side. */
  teams: readonly KnownTeam[];
  /** Who did it, in each event that the worker writes. Default: machine, process id and a random part. */
  id?: string;
  /** Default: each team's. It has to hold what the run's sandbox holds: the same store, or one that both share. */
  sandbox?: Sandbox;
  /** Default: each team's. */
  tests?: TestRunner;
  /** Values that enter neither log nor prompt. Default: variables of the environment that are named as keys. */
  secrets?: readonly string[];
  /** How many attempts at a time. Default 1. */
  concurrency?: number;
  /** What the worker can run, for whoever asks: it decides nothing. Default: nothing. */
  can?: { runners?: readonly string[]; languages?: readonly string[] };
};

/** What a worker says of itself. */
export type WorkerAbilities = {
  id: string;
  teams: { name: string; version: string }[];
  /** The isolation in force, or null where each team has its own sandbox. */
  tier: string | null;
  runners: readonly string[];
  languages: readonly string[];
  concurrency: number;
  /** Attempts under way. */
  running: number;
  draining: boolean;
};

/** Performs the attempts that a platform brings to this process. */
export interface Worker {
  readonly id: string;
  abilities(): WorkerAbilities;
  /**
   * Performs what a delivery stands for. Resolves when there is nothing more to do about it, whatever came of the attempt:
   * that is between worker and gate. Rejects where the platform should bring the delivery to another worker, or later:
   * `WORKER_BUSY`, `WORKER_DRAINING`, `GATE_UNREACHABLE`. Aborting the signal cuts it off, and another worker goes on.
   */
  perform(delivery: Delivery, options?: { signal?: AbortSignal }): Promise<void>;
  /** Takes nothing more, and resolves when what is under way has ended; after `graceMs` (default: none) it is cut off. */
  drain(options?: { graceMs?: number }): Promise<void>;
}

export function createWorker(options: WorkerOptions): Worker {
  const { teams, concurrency = 1, can = {}, sandbox } = options;
  if (teams.length === 0) throw new InvalidInputError("teams", "names none; a worker serves at least one team");
  const id = options.id ?? `${hostname()}-${process.pid}-${randomBytes(3).toString("hex")}`;
  const running = new Map<string, Running>();
  const guards = new Guards();
  let draining = false;

  async function makeTeam({ team: ref, task }: Step): Promise<Team> {
    const team = await knownTeam(teams, ref).make(ref.config, { task });
    if (team.name === ref.name && team.version === ref.version) return team;
    const made = `${team.name} ${team.version}`;
    throw new SwarmError("TEAM_MISMATCH", `what is registered as ${ref.name} ${ref.version} makes ${made}`);
  }

  async function performIt(taken: Taken, { client, cutOff }: Running) {
    const { order, guard: policy, memories } = taken;
    const recall: GateClient["recall"] = (ask, signal) => client.recall(ask, signal);
    const team = withMemories(await makeTeam(order.step), memories, recall);
    const own = options.secrets ?? ownSecrets();
    const leave = (reason: SwarmError) => cutOff.abort(reason);
    const parts = { guard: guards.of(policy), secrets: own, leave, sandbox, tests: options.tests };
    await client.done(await performHere(order, team, client.host(taken), parts));
  }

  async function serve(delivery: Delivery, one: Running): Promise<void> {
    const { client, cutOff } = one;
    try {
      knownTeam(teams, delivery.team); // before anything is fetched
      requireRoom();
      await performIt(await client.take(), one);
    } catch (error) {
      if (error instanceof AttemptOverError) return;
      if (error instanceof SwarmError && error.code === "GATE_UNREACHABLE") throw error;
      const reason = cutOff.signal.aborted ? cutOff.signal.reason : error;
      const again = reason instanceof SwarmError && reason.code === "WORKER_GONE";
      await client.failed(errorData(reason), { again }).catch(ignoreOver);
      if (again) throw reason;
    } finally {
      client.close();
    }
  }

  async function perform(delivery: Delivery, signal: AbortSignal | undefined): Promise<void> {
    const same = running.get(delivery.id);
    if (same) return await same.ended; // brought twice to the same worker
    if (draining) throw new SwarmError("WORKER_DRAINING", `worker ${id} takes no more attempts`);
    if (running.size >= concurrency)
      throw new SwarmError("WORKER_BUSY", `worker ${id} is at its limit of ${concurrency} attempts at a time`);
    const cutOff = new AbortController();
    const client = new GateClient(delivery, id);
    const onAbort = () => cutOff.abort(new SwarmError("WORKER_GONE", `worker ${id} was told to leave the attempt`));
    cutOff.signal.addEventListener("abort", () => client.stop(cutOff.signal.reason), { once: true });
    if (signal?.aborted) onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
    const one: Running = { client, cutOff, ended: Promise.resolve() };
    running.set(delivery.id, one);
    one.ended = serve(delivery, one).finally(() => {
      running.delete(delivery.id);
      signal?.removeEventListener("abort", onAbort);
    });
    await one.ended;
  }

  return {
    id,
    abilities: () => ({
      id,
      teams: teams.map(({ name, version }) => ({ name, version })),
      tier: sandbox?.tier ?? null,
      runners: can.runners ?? [],
      languages: can.languages ?? [],
      concurrency,
      running: running.size,
      draining,
    }),
    perform: (delivery, { signal } = {}) => perform(delivery, signal),
    async drain({ graceMs } = {}) {
      draining = true;
      const under = [...running.values()];
      const reason = new SwarmError("WORKER_GONE", `worker ${id} ends, and leaves the attempt to another`);
      const leave = () => {
        for (const { cutOff } of under) cutOff.abort(reason);
      };
      const timer = graceMs === undefined ? undefined : setTimeout(leave, graceMs);
      await Promise.allSettled(under.map(({ ended }) => ended));
      clearTimeout(timer);
      guards.dispose();
    },
  };
}

type Running = { client: GateClient; cutOff: AbortController; ended: Promise<void> };

function knownTeam(teams: readonly KnownTeam[], { name, version }: Pick<TeamRef, "name" | "version">): KnownTeam {
  const known = teams.find((team) => team.name === name && team.version === version);
  if (known) return known;
  const all = teams.map((team) => `${team.name} ${team.version}`).join(", ");
  throw new SwarmError("TEAM_MISMATCH", `this worker serves ${all}; the step is for ${name} ${version}`);
}

function ignoreOver(error: unknown): void {
  if (!(error instanceof AttemptOverError)) throw error;
}
