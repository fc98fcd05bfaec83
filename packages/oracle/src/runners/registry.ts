import { InvalidInputError } from "@swarm/core";
import type { RunnerAdapter } from "./adapter.ts";
import { cargoTest } from "./cargo-test.ts";
import { goTest } from "./go-test.ts";
import { jest } from "./jest.ts";
import { mocha } from "./mocha.ts";
import { nodeTest } from "./node-test.ts";
import { pytest } from "./pytest.ts";
import type { HostModules } from "./script-runner.ts";
import { vitest } from "./vitest.ts";

/** The runners that Swarm knows; `host` says where those that are npm packages come from. */
export function builtInRunners(host: HostModules = {}): RunnerAdapter[] {
  return [pytest, nodeTest, vitest(host), jest(host), mocha(host), goTest, cargoTest];
}

/** Throws an {@link InvalidInputError} that names `field` for a runner that is not among them. */
export function runnerOf(runners: readonly RunnerAdapter[], name: string, field: string): RunnerAdapter {
  const adapter = runners.find((one) => one.name === name);
  if (adapter) return adapter;
  const known = runners.map((one) => one.name).join(", ");
  throw new InvalidInputError(field, `${JSON.stringify(name)} is no known test runner: use one of ${known}`);
}
