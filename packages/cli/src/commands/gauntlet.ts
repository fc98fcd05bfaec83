import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type GauntletResult, JUDGES, judgeNamed, runGauntlet } from "@swarm/oracle/gauntlet";
import { localSandbox } from "@swarm/sandbox";
import { EXIT } from "../exit-codes.ts";
import type { OptionsOf } from "../flags.ts";
import type { CliIO } from "../io.ts";
import { ISOLATIONS, oneOf } from "../one-of.ts";
import { usageError } from "../parse-command-line.ts";
import { InterruptWatch } from "../run/interrupt.ts";
import { type Line, line, oneLine } from "../view/line.ts";
import { printLines, Screen } from "../view/screen.ts";
import { table } from "../view/table.ts";
import { count } from "../view/words.ts";

/** `swarm gauntlet`: what a judge lets through, by the cases of the gauntlet. */
export async function gauntlet(options: OptionsOf<"gauntlet">, io: CliIO): Promise<number> {
  const name = oneOf("--judge", options.judge, JUDGES);
  const isolation = oneOf("--isolation", options.isolation, ISOLATIONS);
  const store = await mkdtemp(join(tmpdir(), "swarm-gauntlet-"));
  const abort = new AbortController();
  const interrupts = new InterruptWatch(io, (signal) => abort.abort(new Error(`interrupted by ${signal}`)));
  let tried = 0;
  const screen = new Screen(io.stderr, () => `${count(tried, "case")} tried`);
  screen.start();
  try {
    const sandbox = localSandbox({ store, isolation });
    const results = await runGauntlet({
      judge: judgeNamed(name, sandbox),
      ...(options.only === undefined ? {} : { only: options.only }),
      concurrency: 2,
      signal: abort.signal,
      onResult(result) {
        tried += 1;
        if (!result.held && !result.case.open) screen.print([failureLine(result)]);
      },
    });
    screen.stop();
    if (results.length === 0) throw usageError("--only", `no case has ${JSON.stringify(options.only)} in its id`);
    if (options.json) io.stdout.write(`${JSON.stringify(summaryOf(name, sandbox.tier, results), null, 2)}\n`);
    else printLines(io.stdout, storyOf(name, sandbox.tier, results));
    return results.every(({ held, case: { open } }) => held || open) ? EXIT.ok : EXIT.notPassed;
  } catch (error) {
    if (interrupts.signal === null) throw error;
    return EXIT[interrupts.signal];
  } finally {
    screen.stop();
    interrupts.stop();
    await rm(store, { recursive: true, force: true });
  }
}

function summaryOf(judge: string, tier: string, results: readonly GauntletResult[]) {
  return {
    judge,
    tier,
    held: results.filter(({ held, case: { open } }) => held && !open).length,
    cases: results.map(({ case: { id, kind, language, accept, outcomes, open }, opinion, error, held, ms }) => {
      return { id, kind, language, accept, outcomes, open, opinion, error, held, ms };
    }),
  };
}

function failureLine({ case: { id, accept, outcomes }, opinion, error }: GauntletResult): Line {
  const said = opinion === null ? `gave no answer: ${error}` : (opinion.outcome ?? (opinion.accepted ? "yes" : "no"));
  return line(oneLine(`${id}: should be ${accept ? "accepted" : outcomes.join(" or ")}, and is ${said}`, 300), "red");
}

/** A table by kind, then each case that did not hold. What is known to get through is counted apart. */
function storyOf(judge: string, tier: string, results: readonly GauntletResult[]): Line[] {
  const languages = ["python", "javascript"] as const;
  const counted = results.filter((one) => !one.case.open);
  const kinds = Map.groupBy(results, ({ case: { kind, open } }) => (open ? "known to get through" : kind));
  const held = (cases: readonly GauntletResult[]) =>
    cases.length === 0 ? "" : `${cases.filter((one) => one.held).length} of ${cases.length}`;
  const rows = [...kinds].map(([kind, cases]) => {
    return [kind, ...languages.map((language) => held(cases.filter((one) => one.case.language === language)))];
  });
  const failed = counted.filter((one) => !one.held);
  const good = counted.length - failed.length;
  return [
    ...table([["", ...languages], ...rows]).map((row) => line(row)),
    line(""),
    ...failed.map(failureLine),
    line(
      `${judge} holds in ${good} of ${count(counted.length, "case")} (isolation: ${tier})`,
      failed.length === 0 ? "green" : "red",
    ),
  ];
}
