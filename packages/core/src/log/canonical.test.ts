import { expect, test } from "vitest";
import type { EventDraft } from "../contracts/event.ts";
import { canonicalEvent } from "./canonical.ts";

function asking({ input = 100, sha256 = "a" }): EventDraft {
  return {
    stepId: "run/work",
    key: "0.1",
    kind: "agent",
    agent: "coder",
    payload: {
      type: "begin",
      call: { op: "model", model: "a:b", thread: "coder", keep: 0, add: [], settings: "s", sha256 },
      effect: "none",
      reserve: { input, output: 10, reasoning: 0, cacheRead: 0, cacheWrite: 0 },
    },
  };
}

test("what a request reserves is no difference where the request is the same but for what is masked", () => {
  expect(canonicalEvent(asking({ input: 101 }))).toBe(canonicalEvent(asking({})));
  expect(canonicalEvent(asking({ sha256: "b" }))).not.toBe(canonicalEvent(asking({})));
});
