import { afterEach, expect, test } from "vitest";
import { removeTempFolders } from "../cli.ts";
import { DEMOS, playBadly, playWell, SLOW } from "./play.ts";

afterEach(removeTempFolders);

test.for(DEMOS)("%s: its tests refuse the first delivery, it mends it, and the check accepts it", SLOW, async (id) => {
  expect(await playWell(id, "self-healing")).toMatchObject({
    report: { tests: "passed", diagnoses: [expect.any(String)], problem: null },
  });
});

test("demo-rate-limiter.never: no repair helps, and the report warns of it", SLOW, async () => {
  expect(await playBadly("demo-rate-limiter.never", "self-healing")).toMatchObject({
    report: {
      tests: "capped",
      diagnoses: [1, 2, 3].map(() => expect.any(String)),
      report: expect.stringMatching(/^Warning: /),
    },
    reasons: [expect.stringContaining("test_no_moment_to_interrupt_a_request_gives_a_token_twice")],
  });
});
