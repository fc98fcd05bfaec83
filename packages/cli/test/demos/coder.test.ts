import { afterEach, expect, test } from "vitest";
import { removeTempFolders } from "../cli.ts";
import { DEMOS, playBadly, playWell, SLOW } from "./play.ts";

afterEach(removeTempFolders);

test.for(DEMOS)("%s: its tests refuse the first delivery, it mends it, and the check accepts it", SLOW, async (id) => {
  expect(await playWell(id, "coder")).toMatchObject({
    repairs: 0,
    report: {
      status: "completed",
      files: expect.not.arrayContaining([expect.objectContaining({ verified: false })]),
      problem: null,
    },
  });
});

test("demo-rate-limiter.never: it says that it is done, and the check does not", SLOW, async () => {
  expect(await playBadly("demo-rate-limiter.never", "coder")).toMatchObject({ report: { status: "completed" } });
});
