import { type ExecOptions, type FrozenSuite, SandboxError, type Workspace } from "@swarm/core";
import { expect, test } from "vitest";
import { testRunner } from "./test-runner.ts";

const suite: FrozenSuite = { id: "s", author: "a", runner: "pytest", snapshot: "0", entries: ["test_a.py"], tests: [] };

test("a suite's own time limit goes before the runner's", async () => {
  const limits: number[] = [];
  const exec = async (_argv: readonly string[], { timeoutMs }: ExecOptions) => {
    limits.push(timeoutMs);
    throw new SandboxError("seen enough");
  };
  const workspace = { exec } as Partial<Workspace> as Workspace;
  for (const suites of [[suite], [{ ...suite, timeoutMs: 100 }]]) {
    const run = testRunner({ timeoutMs: 5_000 }).run(workspace, suites, { signal: new AbortController().signal });
    await expect(run).rejects.toThrowError("seen enough");
  }
  expect(limits).toEqual([5_000, 100]);
});
