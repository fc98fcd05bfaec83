import { expect, test } from "vitest";
import { MASKS, mask } from "./masks.ts";

test.each([
  ["open /tmp/swarm-abc.d/x", "open <temporary>/x", "temporary"],
  ["<object at 0x7fa3b2>", "<object at <address>>", "address"],
  ["listening on localhost:8080", "listening on <port>", "port"],
  ["killed pid 77", "killed <pid>", "pid"],
  ["at 2026-01-02T03:04:05Z", "at <time>", "time"],
  ["took 12 ms", "took <duration>", "duration"],
])("%s is masked", (text, masked, name) => {
  expect(mask(text)).toBe(masked);
  expect(MASKS.map((one) => one.name)).toContain(name);
});

test("what no mask fits stays as it is", () => {
  for (const text of ["", "a text of words", "line 3 of 10", "src/temporary/a.py"]) expect(mask(text)).toBe(text);
});
