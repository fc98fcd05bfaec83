import { InvalidInputError } from "@swarm/core";
import type { RunnerAdapter } from "./adapter.ts";
import { nodeTest } from "./node-test.ts";
import { pytest } from "./pytest.ts";

const ADAPTERS: readonly RunnerAdapter[] = [pytest, nodeTest];

/** Names of the runners that suites may ask for. */
export const RUNNERS: readonly string[] = ADAPTERS.map((adapter) => adapter.name);

export function findRunner(name: string): RunnerAdapter | null {
  return ADAPTERS.find((adapter) => adapter.name === name) ?? null;
}

/** Throws an {@link InvalidInputError} that names `field` for a runner that is not known. */
export function runnerOf(name: string, field: string): RunnerAdapter {
  const adapter = findRunner(name);
  if (!adapter) {
    throw new InvalidInputError(
      field,
      `${JSON.stringify(name)} is no known test runner: use one of ${RUNNERS.join(", ")}`,
    );
  }
  return adapter;
}
