import { strict as assert } from "node:assert";
import { builtinDemos } from "@swarm/tasks";
import type { TeamName } from "../../src/teams/names.ts";
import { cli } from "../cli.ts";

/** The demos in their plain story. */
export const DEMOS = (await builtinDemos()).flatMap(({ id, story }) => (story === null ? [id] : []));

/** Demos are whole runs, some of them of many rounds. */
export const SLOW = { timeout: 300_000 };

/** The result of a demo that ends well: its own check accepts what the team made. */
export async function playWell(id: string, team: TeamName) {
  const { code, result, stderr } = await play(id, team);
  assert.match(stderr, /; judged by the task's hidden tests$/m);
  assert.partialDeepStrictEqual(result, { passed: true, oracle: "given", signals: { testsFailed: 0 } });
  assert.equal(code, 0);
  if (id === "demo-tree") {
    assert.equal(result.reasons.length, 1);
    assert.match(result.reasons[0], /reach \d+ % of the lines of binary_search_tree\.py$/);
  }
  return result;
}

/** The result of one that does not end well. */
export async function playBadly(id: string, team: TeamName) {
  const { code, result } = await play(id, team);
  assert.partialDeepStrictEqual(result, { passed: false, outcome: "failed", oracle: "given" });
  assert.equal(code, 1);
  return result;
}

async function play(id: string, team: TeamName) {
  const { code, stdout, stderr } = await cli(["run", id, "--team", team, "--mock", "--json"]);
  return { code, result: JSON.parse(stdout), stderr };
}
