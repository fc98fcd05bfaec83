import { describe, expect, test } from "vitest";
import type { Json } from "../contracts/json.ts";
import type { LLMClient } from "../contracts/model.ts";
import type { Team } from "../contracts/team.ts";
import type { RunOptions } from "../engine/run-options.ts";
import { runTask } from "../engine/start-run.ts";
import { ProviderError } from "../errors.ts";
import { conformanceTask, conformanceTeam } from "../testing/team.ts";
import { costReport } from "./cost-report.ts";
import { memoryLogStore } from "./memory-log-store.ts";

function teamWith(change: (client: LLMClient) => Partial<LLMClient>) {
  const team = conformanceTeam();
  const roles = Object.entries(team.roles).map(([name, role]) => {
    const client = { ...role.models[0], ...change(role.models[0]) };
    return [name, { ...role, models: [client] as const }];
  });
  return { ...team, roles: Object.fromEntries(roles) };
}
const run = (team: ReturnType<typeof teamWith>) => runTask(conformanceTask, { team, store: memoryLogStore() });

test("the totals are the sums of the calls, by role and overall, and agree with the run's usage", async () => {
  const trajectory = await run(teamWith(() => ({ price: { input: 3, output: 15 } })));
  const report = costReport(trajectory);
  const { modelCalls, input, output, usd } = trajectory.usage;
  expect(report.total).toMatchObject({ calls: modelCalls, tokens: { input, output } });
  expect(report.total.usd).toBeCloseTo(usd ?? Number.NaN, 9);
  const byRole = Object.values(report.byRole);
  expect(byRole.reduce((sum, { calls }) => sum + calls, 0)).toBe(modelCalls);
  expect(report.calls.every(({ basis, attempts }) => basis === "billed" && attempts === 1)).toBe(true);
  expect(report).toMatchObject({
    outcome: "verified",
    status: "success",
    error: null,
    unpriced: [],
    requirement: conformanceTask.prompt,
  });
});

test("a model without a price makes the sums unknown, and is named", async () => {
  const report = costReport(await run(teamWith(() => ({ price: null }))));
  expect(report.total.usd).toBeNull();
  expect(report.unpriced).toEqual(["scripted:conformance"]);
});

test("a call whose cost is not known counts with its reserve", async () => {
  const team = teamWith(() => ({
    price: { input: 1, output: 1 },
    complete: () => Promise.reject(new ProviderError("INTERRUPTED", "cut off", { retryable: false })),
  }));
  const { calls, total } = costReport(await run(team));
  expect(calls).toMatchObject([{ basis: "reserved", fault: "INTERRUPTED", attempts: null }]);
  expect(total.tokens.output).toBe(8192);
});

describe("the status", () => {
  const reporting = async (report: Json, options: Partial<RunOptions> = {}) => {
    const team = teamWith(() => ({}));
    const workflow = async (context: Parameters<Team["workflow"]>[0]) => {
      await context.note("lead", { report: { status: "aborted" } });
      await team.workflow(context);
      return report;
    };
    return costReport(
      await runTask(conformanceTask, { team: { ...team, workflow }, store: memoryLogStore(), ...options }),
    );
  };

  test.each([
    ["completed", "success"],
    ["partial", "unresolved"],
    ["failed", "failed"],
    ["aborted", "aborted"],
    ["happy", "success"],
  ])("of a workflow that reports %s is %s", async (status, expected) => {
    expect((await reporting({ status })).status).toBe(expected);
  });

  test("is no success without the verdict's, whatever the workflow says", async () => {
    const idle = { ...conformanceTeam(), workflow: async () => ({ status: "completed" }) };
    const trajectory = await runTask(conformanceTask, { team: idle, store: memoryLogStore() });
    expect(costReport(trajectory)).toMatchObject({ outcome: "failed", status: "unresolved" });
  });

  test("is what the workflow noted last where the run is cut off", async () => {
    const report = await reporting({ status: "completed" }, { limits: { modelCalls: 0 } });
    expect(report).toMatchObject({ outcome: "budget", status: "aborted" });
  });
});
