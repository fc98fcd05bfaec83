import type { Run } from "@swarm/core";
import type { CliIO, Interrupt } from "../io.ts";
import { line } from "../view/line.ts";
import { opening, type RunFacts } from "../view/opening.ts";
import { type Progress, progress } from "../view/progress.ts";
import { Screen } from "../view/screen.ts";
import { InterruptWatch } from "./interrupt.ts";

/** A run as it is shown while it is under way, and aborted by a signal. */
export type Following = {
  readonly screen: Screen;
  /** Whether the log has an event: from then on the run is no longer refused. */
  begun(): boolean;
  interruptedBy(): Interrupt | null;
  stop(): void;
};

/** Shows every event of a run on stderr. `facts` is asked when the first event is there. */
export function follow(run: Run, facts: () => RunFacts, io: CliIO): Following {
  let view: Progress | null = null;
  const screen = new Screen(io.stderr, () => view?.working() ?? "preparing the run");
  const interrupts = new InterruptWatch(io, (signal) => {
    screen.print([line(""), line(`${signal}: ending the run; the same again ends it at once`, "yellow")]);
    run.abort(`interrupted by ${signal}`);
  });
  screen.start();
  run.on("event", (event) => {
    if (!view) {
      const known = facts();
      view = progress({ facts: known });
      screen.print(opening(known));
    }
    screen.print(view.lines(event));
  });
  return {
    screen,
    begun: () => view !== null,
    interruptedBy: () => interrupts.signal,
    stop() {
      screen.stop();
      interrupts.stop();
    },
  };
}
