import { join } from "node:path";
import { type BatchReport, batchJournalOf } from "@swarm/core";

/** The object that `swarm batch --json` prints, and that its report file holds. */
export type BatchSummary = BatchReport & {
  /** Runs that the batch is to have. */
  runs: number;
  notBegun: number;
  /** Isolation that the runs had. */
  tier: string;
  /** Wall time of this call of the command. */
  elapsedMs: number;
  /** Path of the journal, with a row a run. */
  journal: string;
  reportFile: string;
};

export function summaryOfBatch(
  report: BatchReport,
  { folder, runs, tier, elapsedMs }: { folder: string; runs: number; tier: string; elapsedMs: number },
): BatchSummary {
  const { infrastructure, refused, aborted } = report.unsettled;
  const notBegun = Math.max(0, runs - report.settled - infrastructure - refused - aborted);
  const [journal, reportFile] = [batchJournalOf(folder), join(folder, "report.json")];
  return { ...report, runs, notBegun, tier, elapsedMs: Math.round(elapsedMs), journal, reportFile };
}
