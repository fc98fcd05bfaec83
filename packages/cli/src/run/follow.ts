import type { Run, RunEvent } from "@swarm/core";
import type { CliIO, Interrupt } from "../io.ts";
import type { Mask } from "../settings/secrets.ts";
import { type Line, line } from "../view/line.ts";
import { opening, type RunFacts } from "../view/opening.ts";
import { type Progress, progress } from "../view/progress.ts";
import { Screen } from "../view/screen.ts";
import { InterruptWatch } from "./interrupt.ts";

export type FollowOptions = {
  /** Asked for when the first event is there. */
  facts: () => RunFacts;
  mask: Mask;
  /** Whether the run is shown to a person; otherwise nothing is printed. */
  shown: boolean;
};

/** A run under way: shown on stderr, and aborted by a signal. */
export type Following = {
  print(lines: readonly Line[]): void;
  /** Whether the log has an event: from then on the run is no longer refused. */
  begun(): boolean;
  interruptedBy(): Interrupt | null;
  stop(): void;
};

export function follow(run: Run, { facts, mask, shown }: FollowOptions, io: CliIO): Following {
  let view: Progress | null = null;
  let begun = false;
  const screen = shown ? new Screen(io.stderr, () => mask(view?.working() ?? "preparing the run")) : null;
  const print = (lines: readonly Line[]) => screen?.print(lines.map((one) => ({ ...one, text: mask(one.text) })));
  const interrupts = new InterruptWatch(io, (signal) => {
    print([line(""), line(`${signal}: ending the run; the same again ends it at once`, "yellow")]);
    run.abort(`interrupted by ${signal}`);
  });
  const show = (event: RunEvent) => {
    if (!view) {
      const known = facts();
      view = progress({ facts: known });
      print(opening(known));
    }
    // whole, since a line that is cut could end in half of a key
    print(view.lines(JSON.parse(mask(JSON.stringify(event)))));
  };
  screen?.start();
  run.on("event", (event) => {
    begun = true;
    if (shown) show(event);
  });
  return {
    print,
    begun: () => begun,
    interruptedBy: () => interrupts.signal,
    stop() {
      screen?.stop();
      interrupts.stop();
    },
  };
}
