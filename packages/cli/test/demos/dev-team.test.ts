import { afterEach, expect, test } from "vitest";
import { removeTempFolders } from "../cli.ts";
import { DEMOS, playBadly, playWell, SLOW } from "./play.ts";

afterEach(removeTempFolders);

/** How often the tests of each task ran: twice where they refused the first delivery. */
const ROUNDS: Record<string, number[]> = {
  "demo-api": [2, 1],
  "demo-linked-list": [2],
  "demo-linked-list.forged": [2],
  "demo-rate-limiter": [2],
  "demo-text-kit": [1, 1, 1, 1, 1, 2, 1, 1],
  "demo-tree": [2],
};

test.for([...DEMOS, "demo-linked-list.forged"])(
  "%s: its tests refuse the first delivery, it mends it, and the check accepts it",
  SLOW,
  async (id) => {
    expect(await playWell(id, "dev-team")).toMatchObject({
      report: {
        status: "completed",
        tasks: ROUNDS[id]?.map((rounds) => ({ status: "approved", rounds })),
        consolidation: id === "demo-text-kit" ? { by: "model" } : null,
        rejectedMessages: id.endsWith(".forged") ? 4 : 0,
      },
    });
  },
);

test("demo-api.never: one task comes to no end, the other does", SLOW, async () => {
  expect(await playBadly("demo-api.never", "dev-team")).toMatchObject({
    report: {
      status: "partial",
      tasks: [{ status: "unresolved", reason: "rounds_spent", rounds: 5 }, { status: "approved" }],
    },
  });
});

test("demo-api.regressed: the second task breaks the first", SLOW, async () => {
  expect(await playBadly("demo-api.regressed", "dev-team")).toMatchObject({
    report: {
      status: "partial",
      tasks: [
        { status: "regressed", rounds: 2 },
        { status: "unresolved", reason: "rounds_spent" },
      ],
    },
  });
});
