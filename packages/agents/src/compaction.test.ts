import { CallError, faultOf, type RoleHandle, type Turn } from "@swarm/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { answer, type RoleDouble, roleDouble, text, tool } from "../test/role-double.ts";
import { runAgent } from "./agent-loop.ts";
import { compacted } from "./compaction.ts";

/** A role whose model's window holds that many turns. */
function narrow(role: RoleDouble, window: number): RoleHandle & { refusals: number } {
  const narrowed = {
    refusals: 0,
    use: role.use,
    recall: role.recall,
    async ask(request: Parameters<RoleHandle["ask"]>[0]) {
      if (request.turns.length <= window) return await role.ask(request);
      narrowed.refusals++;
      throw new CallError(faultOf({ code: "CONTEXT_TOO_LONG", message: "too long" }));
    },
  };
  return narrowed;
}
const reads = (count: number) => Array.from({ length: count }, (_, index) => answer([tool(`c${index}`)]));

describe("a thread that outgrows its window", () => {
  it("is shortened once an overflow, and the work goes on", async () => {
    const role = narrow(roleDouble([...reads(6), answer([text("done")])]), 7);
    const result = await runAgent(role, "Read.");
    expect(result.end).toBe("finished");
    expect(role.refusals).toBeGreaterThan(0);
    expect(result.calls).toBe(7 + role.refusals); // what did not fit was a call too
    expect(result.turns[0]?.parts).toContainEqual(text("Read."));
    expect(JSON.stringify(result.turns[0])).toContain("left out");
  });

  it("is the caller's fault when nothing can be left out, or it still does not fit", async () => {
    for (const window of [0, 3]) {
      const role = narrow(roleDouble(reads(9)), window);
      await expect(runAgent(role, "Read.")).rejects.toMatchObject({ code: "CONTEXT_TOO_LONG" });
    }
  });
});

it("what is left begins with the user, alternates, and gives every call its result", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 1, max: 3 }), (exchanges, calls) => {
      const turns: Turn[] = [{ role: "user", parts: [text("Read.")] }];
      for (let nth = 0; nth < exchanges; nth++) {
        const uses = Array.from({ length: calls }, (_, index) => tool(`${nth}-${index}`));
        const results = uses.map(({ id }) => ({ type: "result" as const, id, ok: true, output: "" }));
        turns.push({ role: "assistant", parts: uses }, { role: "user", parts: results });
      }
      const shorter = compacted(turns);
      if (shorter === null) return exchanges <= 2;
      const roles = shorter.map(({ role }) => role);
      const asked = shorter.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "tool" ? [part.id] : [])));
      const given = shorter.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "result" ? [part.id] : [])));
      expect(roles).toEqual(roles.map((_, index) => (index % 2 === 0 ? "user" : "assistant")));
      expect(given).toEqual(asked);
      return shorter.length < turns.length;
    }),
  );
});
