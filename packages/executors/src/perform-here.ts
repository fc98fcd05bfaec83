import {
  type AttemptOrder,
  type AttemptResult,
  createRedactor,
  type Guard,
  perform,
  type Sandbox,
  type StepHost,
  type SwarmError,
  type Team,
  type TestRunner,
} from "@swarm/core";
import { hostWithRoom } from "./full-disk.ts";

/** Performs an attempt in this process. */
export async function performHere(
  order: AttemptOrder,
  team: Team,
  host: StepHost,
  {
    guard,
    secrets,
    leave,
    ...site
  }: {
    guard: Guard;
    /** Values of this process's own that enter neither log nor prompt. */
    secrets: readonly string[];
    /** Aborts the host's signal: this machine cannot perform the attempt, and another one may. */
    leave(reason: SwarmError): void;
    sandbox?: Sandbox | undefined;
    tests?: TestRunner | undefined;
  },
): Promise<AttemptResult> {
  const { sandbox = team.defaults.sandbox(), tests = team.defaults.tests() } = site;
  const redact = createRedactor([...host.secrets, ...secrets]);
  return await perform(order, { team, sandbox, tests, guard, redact }, hostWithRoom(host, leave));
}

/** This process's own keys: values of variables that are named as such. */
export function ownSecrets(): string[] {
  const named = Object.entries(process.env).filter(([name]) => /KEY|TOKEN|SECRET|PASSWORD/i.test(name));
  return named.map(([, value]) => value ?? "");
}
