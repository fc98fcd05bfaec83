import { builtinDemos } from "@swarm/tasks";
import { afterEach, describe, expect, test } from "vitest";
import type { TeamName } from "../src/teams/names.ts";
import { cli, removeTempFolders } from "./cli.ts";

afterEach(removeTempFolders);

const SLOW = { timeout: 300_000 };
const demos = (await builtinDemos()).flatMap(({ id, story }) => (story === null ? [id] : []));

/** Of devTeam, how often the tests of each task ran: twice where they refused the first delivery. */
const ROUNDS: Record<string, number[]> = {
  "demo-api": [2, 1],
  "demo-linked-list": [2],
  "demo-linked-list.forged": [2],
  "demo-rate-limiter": [2],
  "demo-text-kit": [1, 1, 1, 1, 1, 2, 1, 1],
  "demo-tree": [2],
};

/** By what each team mends a first delivery that its own tests refuse. */
const RECOVERY: Partial<Record<TeamName, (id: string) => object>> = {
  codeswarm: () => ({ repairs: 1, report: { steps: [{ ok: true, attempts: 2 }], problem: null } }),
  coder: () => ({
    repairs: 0,
    report: {
      status: "completed",
      files: expect.not.arrayContaining([expect.objectContaining({ verified: false })]),
      problem: null,
    },
  }),
  "dev-team": (id) => ({
    report: {
      status: "completed",
      tasks: ROUNDS[id]?.map((rounds) => ({ status: "approved", rounds })),
      consolidation: id === "demo-text-kit" ? { by: "model" } : null,
      rejectedMessages: id.endsWith(".forged") ? 3 : 0,
    },
  }),
  "self-healing": () => ({ report: { tests: "passed", diagnoses: [expect.any(String)], problem: null } }),
};

/** What only some of them show beside that. */
const ALSO: Record<string, object> = {
  "demo-tree": { reasons: [expect.stringMatching(/reach \d+ % of the lines of binary_search_tree\.py$/)] },
};

/** Stories that do not end well, and what they end with. */
const OTHERWISE: [id: string, team: TeamName, ending: object][] = [
  [
    "demo-api.never",
    "dev-team",
    {
      report: {
        status: "partial",
        tasks: [{ status: "unresolved", reason: "rounds_spent", rounds: 5 }, { status: "approved" }],
      },
    },
  ],
  [
    "demo-api.regressed",
    "dev-team",
    {
      report: {
        status: "partial",
        tasks: [
          { status: "regressed", rounds: 2 },
          { status: "unresolved", reason: "rounds_spent" },
        ],
      },
    },
  ],
  ["demo-text-kit.never", "codeswarm", { repairs: 3, report: { steps: [{ ok: false, attempts: 4 }] } }],
  ["demo-rate-limiter.never", "coder", { report: { status: "completed" } }],
  [
    "demo-rate-limiter.never",
    "self-healing",
    {
      report: {
        tests: "capped",
        diagnoses: [1, 2, 3].map(() => expect.any(String)),
        report: expect.stringMatching(/^Warning: /),
      },
      reasons: [expect.stringContaining("test_no_moment_to_interrupt_a_request_gives_a_token_twice")],
    },
  ],
];

describe.for(Object.keys(RECOVERY) as TeamName[])("%s", (team) => {
  test.for(team === "dev-team" ? [...demos, "demo-linked-list.forged"] : demos)(
    "plays %s: its tests refuse the first delivery, it mends it, and the check accepts it",
    SLOW,
    async (id) => {
      const { code, result } = await play(id, team);
      expect(result).toMatchObject({
        passed: true,
        oracle: "given",
        signals: { testsFailed: 0 },
        ...RECOVERY[team]?.(id),
        ...ALSO[id],
      });
      expect(code).toBe(0);
    },
  );

  test.for(OTHERWISE.filter(([, of]) => of === team))(
    "plays %s, which does not end well",
    SLOW,
    async ([id, , ending]) => {
      const { code, result } = await play(id, team);
      expect(result).toMatchObject({ passed: false, outcome: "failed", oracle: "given", ...ending });
      expect(code).toBe(1);
    },
  );
});

async function play(id: string, team: TeamName) {
  const { code, stdout } = await cli(["run", id, "--team", team, "--mock", "--json"]);
  return { code, result: JSON.parse(stdout) };
}
