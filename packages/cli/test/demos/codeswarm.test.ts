import { afterEach, expect, test } from "vitest";
import { removeTempFolders } from "../cli.ts";
import { DEMOS, playBadly, playWell, SLOW } from "./play.ts";

afterEach(removeTempFolders);

test.for(DEMOS)("%s: its tests refuse the first delivery, it mends it, and the check accepts it", SLOW, async (id) => {
  expect(await playWell(id, "codeswarm")).toMatchObject({
    repairs: 1,
    report: { steps: [{ ok: true, attempts: 2 }], problem: null },
  });
});

test("demo-text-kit.never: no attempt is right", SLOW, async () => {
  expect(await playBadly("demo-text-kit.never", "codeswarm")).toMatchObject({
    repairs: 3,
    report: { steps: [{ ok: false, attempts: 4 }] },
  });
});
