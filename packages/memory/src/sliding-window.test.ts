import type { Turn } from "@swarm/core";
import { slidingWindow } from "@swarm/memory";
import fc from "fast-check";
import { expect, it } from "vitest";

/** A thread with that many exchanges, each of one tool call and its result. */
function thread(exchanges: number): Turn[] {
  const turns: Turn[] = [{ role: "user", parts: [{ type: "text", text: "task" }] }];
  for (let nth = 0; nth < exchanges; nth++) {
    turns.push({ role: "assistant", parts: [{ type: "tool", id: `c${nth}`, tool: "read_file", args: {} }] });
    turns.push({ role: "user", parts: [{ type: "result", id: `c${nth}`, ok: true, output: `${nth}` }] });
  }
  return turns;
}
const exchangesOf = (turns: readonly Turn[]) => (turns.length - 1) / 2;

it("keeps a thread that fits as it is", () => {
  expect(slidingWindow(thread(10), 10)).toEqual(thread(10));
  expect(slidingWindow([], 10)).toEqual([]);
});

it("keeps the task and the last turns of a longer one, with a word on what is missing", () => {
  const [first, ...rest] = slidingWindow(thread(11), 10);
  expect(first?.parts[0]).toEqual({ type: "text", text: "task" });
  expect(first?.parts[1]).toMatchObject({
    text: expect.stringContaining("5 of your earlier answers, with 5 tool calls"),
  });
  expect(rest).toEqual(thread(11).slice(11));
});

it("slides so seldom that one request is mostly the beginning of the next", () => {
  const starts = Array.from({ length: 30 }, (_, more) => JSON.stringify(slidingWindow(thread(10 + more), 10)[1]));
  expect(new Set(starts).size).toBe(7);
});

it("holds at most its size and at least half of it, the newest always, for any thread", () => {
  fc.assert(
    fc.property(fc.nat(60), fc.integer({ min: 1, max: 20 }), (exchanges, most) => {
      const turns = thread(exchanges);
      const kept = slidingWindow(turns, most);
      expect(exchangesOf(kept)).toBeLessThanOrEqual(most);
      expect(exchangesOf(kept)).toBeGreaterThanOrEqual(Math.min(exchanges, Math.ceil((most + 1) / 2)));
      expect(kept.slice(1)).toEqual(turns.slice(turns.length - kept.length + 1));
      expect(kept[0]?.parts[0]).toEqual(turns[0]?.parts[0]);
    }),
  );
});
