import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { capture, signals } from "../../test/cli.ts";
import { InterruptWatch } from "./interrupt.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function watched() {
  const source = signals();
  const exits: number[] = [];
  const firsts: string[] = [];
  const { onInterrupt } = source;
  const io = {
    stdout: capture(),
    stderr: capture(),
    env: {},
    cwd: "/",
    onInterrupt,
    exit: (code: number) => exits.push(code),
  };
  const watch = new InterruptWatch(io, (signal) => firsts.push(signal));
  return { source, exits, firsts, watch };
}

test("the first signal calls back, the next ends the process with its code", () => {
  const { source, exits, firsts, watch } = watched();
  source.send("SIGINT");
  expect([firsts, exits, watch.signal]).toEqual([["SIGINT"], [], "SIGINT"]);
  vi.advanceTimersByTime(1000);
  source.send("SIGTERM");
  expect([firsts, exits, watch.signal]).toEqual([["SIGINT"], [143], "SIGINT"]);
});

test("a signal that comes twice at once, to the group and from a parent, is one", () => {
  const { source, exits, firsts } = watched();
  source.send("SIGINT");
  vi.advanceTimersByTime(100);
  source.send("SIGINT");
  expect([firsts, exits]).toEqual([["SIGINT"], []]);
});

test("leaves no listener behind", () => {
  const { source, watch } = watched();
  expect(source.count()).toBe(1);
  watch.stop();
  expect(source.count()).toBe(0);
});
