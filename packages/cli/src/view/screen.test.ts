import { WriteStream } from "node:tty";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { capture } from "../../test/cli.ts";
import { line } from "./line.ts";
import { Screen } from "./screen.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

function screenOn(stream: ReturnType<typeof capture>): Screen {
  const screen = new Screen(stream, () => "coder [1/10]");
  screen.start();
  return screen;
}

describe("without a terminal", () => {
  test("prints plain lines, and in a silence lines ever further apart", () => {
    vi.stubEnv("FORCE_COLOR", "1");
    const stream = capture();
    const screen = screenOn(stream);
    screen.print([line("begin", "green")]);
    vi.advanceTimersByTime(9_000);
    screen.print([line("end")]);
    screen.stop();
    vi.advanceTimersByTime(60_000);
    expect(stream.text()).toBe("begin\n… coder [1/10] (2.0 s)\n… coder [1/10] (4.0 s)\n… coder [1/10] (8.0 s)\nend\n");
  });

  test("says nothing of work that takes less than two seconds", () => {
    const stream = capture();
    const screen = screenOn(stream);
    for (let step = 0; step < 5; step++) {
      vi.advanceTimersByTime(1_500);
      screen.print([line("step")]);
    }
    screen.stop();
    expect(stream.text()).toBe("step\n".repeat(5));
  });
});

describe("on a terminal", () => {
  test("writes the silence over, cut to the width, and clears it before the next line", () => {
    const stream = capture({ isTTY: true, columns: 12 });
    const screen = screenOn(stream);
    vi.advanceTimersByTime(3_000);
    screen.print([line("end")]);
    screen.stop();
    expect(stream.text()).toBe("\r\u001b[K… coder [1…\r\u001b[K… coder [1…\r\u001b[Kend\n");
  });

  test.each([
    ["in colour", undefined, "\u001b[32mgood\u001b[39m\n"],
    ["without colour where NO_COLOR is set", "1", "good\n"],
  ])("prints %s", (_, noColor, expected) => {
    vi.stubEnv("FORCE_COLOR", undefined);
    vi.stubEnv("NO_COLOR", noColor);
    vi.stubEnv("CI", undefined); // Node takes no colours for granted there
    vi.stubEnv("TERM", "xterm-256color");
    const { getColorDepth } = WriteStream.prototype;
    const stream = Object.assign(capture({ isTTY: true }), { getColorDepth });
    new Screen(stream, () => "").print([line("good", "green")]);
    expect(stream.text()).toBe(expected);
  });
});
