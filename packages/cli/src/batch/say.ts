import { relative } from "node:path";
import type { BatchEvent, BatchProgress, BatchRow, Rate } from "@swarm/core";
import { type Line, line, oneLine } from "../view/line.ts";
import { table } from "../view/table.ts";
import { count, dollars, formatted, seconds } from "../view/words.ts";
import type { BatchSummary } from "./summary.ts";

export type BatchFacts = { runs: number; repeat: number; concurrency: number; tier: string };

/** What an event of a batch is told as; nothing for those that only the figures show. */
export function eventLines(event: BatchEvent, progress: BatchProgress, facts: BatchFacts): Line[] {
  switch (event.type) {
    case "opened": {
      const before = progress.settled > 0 ? `, ${formatted(progress.settled)} of them done before` : "";
      const what = `${count(facts.runs, "run")}${before}, ${formatted(facts.concurrency)} at once`;
      return [line(`batch ${event.batchId}: ${what} (isolation: ${facts.tier})`, "bold")];
    }
    case "started":
      return [];
    case "retrying":
      return [
        line(`${runInWords(event.row, facts)}: the machinery failed it: ${reasonOf(event.row)}`, "yellow"),
        line(`  made again in ${seconds(event.waitMs)}`, "yellow"),
      ];
    case "finished": {
      const done = progress.settled + progress.unsettled;
      return [rowLine(`[${formatted(done)}/${formatted(facts.runs)}]`, event.row, facts)];
    }
    case "draining":
      return [line(`no run begins any more: ${event.reason}`, "yellow")];
  }
}

function rowLine(place: string, row: BatchRow, facts: BatchFacts): Line {
  const { outcome, passed, repairs, elapsedMs } = row;
  const repaired = repairs > 0 ? ` after ${count(repairs, "repair")}` : "";
  const why = passed ? "" : `; ${reasonOf(row)}`;
  const text = `${place} ${runInWords(row, facts)}: ${outcome ?? "refused"}${repaired}, ${seconds(elapsedMs)}${why}`;
  return line(oneLine(text, 300), passed ? "green" : "red");
}

function runInWords({ taskId, repetition }: BatchRow, { repeat }: BatchFacts): string {
  return repeat === 1 ? taskId : `${taskId} #${repetition}`;
}

function reasonOf({ reason, failureSignature }: BatchRow): string {
  return reason ?? failureSignature ?? "no reason was given";
}

/** The figures of a batch under way. `done` and `elapsedMs` are of this session, from which the time left is estimated. */
export function statusOf(
  { running, settled, unsettled, passed, usd }: BatchProgress,
  { runs }: BatchFacts,
  { done, elapsedMs }: { done: number; elapsedMs: number },
): string {
  const over = settled + unsettled;
  const left = done === 0 ? null : (elapsedMs / done) * Math.max(0, runs - over);
  return [
    `${formatted(over)} of ${formatted(runs)} done`,
    `${formatted(running)} running`,
    `${formatted(passed)} passed${settled === 0 ? "" : ` (${percent(passed / settled)})`}`,
    usd === null ? "cost not known" : dollars(usd),
    ...(left === null ? [] : [`about ${seconds(left)} left`]),
  ].join(", ");
}

const MOST_ROWS = 10;

/** What came of a batch, for a person. */
export function summaryLines(summary: BatchSummary, cwd: string): Line[] {
  const { settled, runs, passed, passRate, outcomes, recovered, unsettled, retried, solvedTasks } = summary;
  const { infrastructure, refused, aborted } = unsettled;
  const missing = [
    ...(infrastructure > 0 ? [`${formatted(infrastructure)} failed by the machinery`] : []),
    ...(refused > 0 ? [`${formatted(refused)} refused`] : []),
    ...(aborted > 0 ? [`${formatted(aborted)} cut off`] : []),
    ...(summary.notBegun > 0 ? [`${formatted(summary.notBegun)} not begun`] : []),
  ];
  const rows = [
    ["runs", `${formatted(settled)} of ${formatted(runs)} came to a verdict`],
    ...(missing.length > 0 ? [["without one", missing.join(", ")]] : []),
    [
      "passed",
      `${formatted(passed)}${passRate ? `, ${rateInWords(passRate)}` : ""}; ${count(solvedTasks, "task")} solved`,
    ],
    [
      "outcomes",
      Object.entries(outcomes)
        .map(([name, number]) => `${name} ${formatted(number)}`)
        .join(", "),
    ],
    ["recovered", `${count(recovered, "run")} passed after an attempt that failed`],
    ...(retried > 0 ? [["made again", `${count(retried, "run")} that the machinery had failed`]] : []),
    [
      "cost",
      `${dollars(summary.usd)}${summary.usdPerSolvedTask === null ? "" : `, ${dollars(summary.usdPerSolvedTask)} a solved task`}`,
    ],
    ["time", seconds(summary.elapsedMs)],
    ["report", relative(cwd, summary.reportFile)],
  ];
  return [...table(rows).map((row) => line(row)), ...failureLines(summary)];
}

function failureLines({ faultClasses, failures }: BatchSummary): Line[] {
  if (failures.length === 0) return [];
  const classes = faultClasses.slice(0, MOST_ROWS).map(({ faultClass, count: number, recovered, signatures }) => {
    return [oneLine(faultClass, 60), formatted(number), formatted(recovered), formatted(signatures)];
  });
  const signatures = failures.slice(0, MOST_ROWS).map(({ signature, count: number, recovered }) => {
    return [formatted(number), formatted(recovered), oneLine(signature, 160)];
  });
  const more = failures.length - signatures.length;
  return [
    line(""),
    ...table([["fault class", "failed", "recovered", "signatures"], ...classes]).map((row) => line(row)),
    line(""),
    ...table([["failed", "recovered", "signature"], ...signatures]).map((row) => line(row)),
    ...(more > 0 ? [line(`and ${count(more, "signature")} more`)] : []),
  ];
}

function rateInWords({ rate, low, high }: Rate): string {
  return `${percent(rate)} (95% interval ${percent(low)} to ${percent(high)})`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}
