import { writeFile } from "node:fs/promises";
import { createGuard, messageOf, startBatch } from "@swarm/core";
import { prepareBatch } from "../batch/prepare.ts";
import { eventLines, statusOf, summaryLines } from "../batch/say.ts";
import { type BatchSummary, summaryOfBatch } from "../batch/summary.ts";
import { EXIT } from "../exit-codes.ts";
import type { OptionsOf } from "../flags.ts";
import type { CliIO, Interrupt } from "../io.ts";
import { reportError } from "../report-error.ts";
import { InterruptWatch } from "../run/interrupt.ts";
import { jsonText } from "../run/views.ts";
import { guardOptions } from "../settings/policy.ts";
import { maskFor } from "../settings/secrets.ts";
import type { Line } from "../view/line.ts";
import { printLines, Screen } from "../view/screen.ts";

/** `swarm batch`: settles all that can be refused, then runs the tasks, shows how far it is, and says what came of it. */
export async function batch(options: OptionsOf<"batch">, io: CliIO): Promise<number> {
  const { tasks, runs, options: given, sandbox, settings, failUnder, elsewhere } = await prepareBatch(options, io);
  const { folder, repeat = 1, concurrency = 1 } = given;
  const mask = maskFor(settings);
  const masked = (lines: readonly Line[]) => lines.map((one) => ({ ...one, text: mask(one.text) }));
  const facts = { runs, repeat, concurrency, tier: sandbox.tier };
  const guard = createGuard(guardOptions(settings));
  const began = performance.now();
  let done = 0;
  let begun = false;
  const work = startBatch(tasks, { ...given, run: { ...given.run, guard } });
  const status = () => statusOf(work.progress(), facts, { done, elapsedMs: performance.now() - began });
  const screen = new Screen(io.stderr, status, { live: true });
  const interrupts = new InterruptWatch(
    io,
    (signal) => work.drain(`${signal}; runs under way come to their end, and the same again cuts them off`),
    (signal) => work.abort(`interrupted by ${signal}`),
  );
  work.on((event) => {
    begun = true;
    if (event.type === "finished") done += 1;
    screen.print(masked(eventLines(event, work.progress(), facts)));
  });
  screen.start();
  try {
    const report = await work.result;
    screen.stop();
    const elapsedMs = performance.now() - began;
    const summary = summaryOfBatch(report, { folder, runs, tier: sandbox.tier, elapsedMs });
    const problem = await writeFile(summary.reportFile, mask(jsonText(summary))).then(() => null, messageOf);
    if (options.json) io.stdout.write(mask(jsonText(summary)));
    else printLines(io.stdout, masked(summaryLines(summary, io.cwd)));
    if (problem !== null) io.stderr.write(`swarm: the report could not be written: ${problem}\n`);
    return problem === null ? exitCodeOf(summary, failUnder, interrupts.signal) : EXIT.notPassed;
  } catch (error) {
    if (!begun) throw error;
    screen.stop();
    reportError(error, io, options.json); // a log or the journal could not be written, or there is a bug
    return EXIT.notPassed;
  } finally {
    screen.stop();
    interrupts.stop();
    guard.dispose();
    await elsewhere?.close();
  }
}

function exitCodeOf({ runs, settled, passRate }: BatchSummary, failUnder: number | null, signal: Interrupt | null) {
  if (settled < runs) return signal === null ? EXIT.notPassed : EXIT[signal];
  return (passRate?.rate ?? 0) < (failUnder ?? 0) ? EXIT.notPassed : EXIT.ok;
}
