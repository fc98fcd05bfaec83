import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ReplayOptions, type Role, replayRun } from "@swarm/core";
import { loadTask } from "@swarm/tasks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TeamName } from "../../packages/cli/src/teams/names.ts";
import { cutOff, type RecordedRun, recordMockRun } from "../crash/mock-run.ts";

const TASK = "page-window";

/** What holds of a mock run of each team. A file for each, so that they are tested side by side; one recorded run in a file. */
export function testMockRun(team: TeamName): void {
  const folder = mkdtempSync(join(tmpdir(), "swarm-mock-run-"));
  let recorded: RecordedRun;
  beforeAll(async () => {
    recorded = await recordMockRun({ team, taskId: TASK }, folder);
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  describe("a mock run that crashes and is resumed is the one that was never disturbed", () => {
    test.each(["events", "bytes", "kills"] as const)("at %s", async (at) => {
      const { cases } = await cutOff(recorded, { at, most: at === "kills" ? 1 : 3, seed: 6 });
      expect(cases).toBeGreaterThan(0);
    });
  });

  describe("a replay names", () => {
    async function causeWith(change: Partial<ReplayOptions>) {
      const { whole, ports } = recorded;
      const { header, events } = whole;
      const { divergence } = await replayRun({ header, events: [...events] }, { ...ports, ...change });
      return divergence?.cause;
    }

    /** The team with each of its roles changed. */
    function withRoles(change: (role: Role, name: string) => Partial<Role>) {
      const { team } = recorded.ports;
      const roles = Object.entries(team.roles).map(
        ([name, role]) => [name, { ...role, ...change(role, name) }] as const,
      );
      return { team: { ...team, roles: Object.fromEntries(roles) } };
    }

    test("a tool that says something else", async () => {
      type Tool = Role["tools"][number];
      const other = (tool: Tool): Tool => ({
        ...tool,
        call: async (input, context) => ({ ...(await tool.call(input, context)), output: "something else" }),
      });
      const changed = withRoles(({ tools }) => ({
        tools: tools.map((tool) => (tool.name === "write_file" ? other(tool) : tool)),
      }));
      expect(await causeWith(changed)).toEqual({ kind: "tool-output", tool: "write_file" });
    });

    test("the role whose prompt is another one", async () => {
      const asked = recorded.whole.events.findLast(
        ({ payload }) => payload.type === "begin" && payload.call.op === "model",
      )?.agent;
      const changed = withRoles(({ system }, name) => (name === asked ? { system: `${system}\nBe brief.` } : {}));
      expect(await causeWith(changed)).toEqual({ kind: "prompt", role: asked, part: "system", tool: null });
    });

    test("the part of the task that is another one", async () => {
      const { task } = await loadTask(TASK);
      expect(await causeWith({ task })).toBeUndefined();
      const changed = { ...task, testFiles: { ...task.testFiles, "tests/page-window.test.mjs": "" } };
      expect(await causeWith({ task: changed })).toEqual({
        kind: "task",
        field: "testFiles.tests/page-window.test.mjs",
      });
    });
  });
}
