import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtInRunners, probeRunners } from "@swarm/oracle";
import { localSandbox } from "@swarm/sandbox";
import { oneLine } from "../view/line.ts";
import type { Check } from "./check.ts";

const MOST_MS = 120_000;

/** Which test runners work here: each runs a test in a sandbox as a run would. Packages are those that `cwd` finds. */
export async function checkRunners(cwd: string): Promise<Check[]> {
  const store = await mkdtemp(join(tmpdir(), "swarm-doctor-"));
  try {
    const signal = AbortSignal.timeout(MOST_MS);
    const probes = await probeRunners(localSandbox({ store }), { signal, runners: builtInRunners({ from: cwd }) });
    return probes.map(({ name, works, found }) => ({
      name,
      ok: works,
      required: false,
      found: oneLine(found, 300),
      costs: `suites of ${name} cannot be run`,
    }));
  } finally {
    await rm(store, { recursive: true, force: true });
  }
}
