import type { Done, FrozenSuite, JsonObject, RunContext } from "@swarm/core";
import type { Failure, Message } from "../a2a/message.ts";
import type { QaAssignment } from "./assignment.ts";
import { auditSuite } from "./audit-suite.ts";
import { type Audit, corrected } from "./correction.ts";
import { isOf } from "./judge-suites.ts";
import { manifestOf, type QaSuite, suiteOfTask, testFileOf } from "./qa-suite.ts";
import { writeSuite } from "./write-suite.ts";

/** A suite that the oracle would admit. */
type Drafted = { suite: QaSuite; draft: FrozenSuite };

/** What stands of a look at work, however it ends. */
export type Seen = {
  /** Whether tests ran. */
  tested: boolean;
  /** What QA's model said in the form of messages. */
  said: JsonObject[];
  corrections: RecordedCorrection[];
};

/** QA's suite of a task. One that is not admitted is written once more; null where that is not either. */
export async function draftSuite(
  run: RunContext,
  assignment: QaAssignment,
  inbox: Message[],
  seen: Seen,
): Promise<Done<Drafted | null>> {
  let refused: { suite: QaSuite; reason: string } | null = null;
  for (;;) {
    const written: Done<{ suite: QaSuite; outbox: JsonObject[] }> = await run.step(writeSuite, {
      ...assignment,
      inbox,
      refused,
    });
    if (!written.ok) return written;
    const suite: QaSuite = written.output.suite;
    seen.said.push(...written.output.outbox);
    const admission = await run.admit(suiteOfTask(assignment.task.id, suite));
    if (admission.ok) return { ok: true, output: { suite, draft: admission.output } };
    if (refused) return { ok: true, output: null };
    refused = { suite, reason: admission.fault.message };
  }
}

/** What QA replaced in its own suite: a test by its name, or `setup`. */
export type RecordedCorrection = { task: string; test: string; reason: string };

/**
 * QA holds those tests of its suite that failed against the criteria, and replaces what it wrote wrong; each correction is in the
 * log. Null where there is no such look, or the oracle does not admit what came of it: the suite stays as it is. Fails only by the machinery.
 */
export async function audited(
  run: RunContext,
  assignment: QaAssignment,
  { suite, failures }: { suite: QaSuite; failures: Failure[] },
  seen: Seen,
): Promise<Done<Drafted | null>> {
  const { id } = assignment.task;
  const asItIs = { ok: true, output: null } as const;
  const { path } = testFileOf(id, suite);
  const own = failures.filter(({ test }) => test.startsWith(path));
  if (own.length === 0) return asItIs;
  const ids = manifestOf(id, suite).tests.map((test) => test.id);
  const failed = suite.tests.filter((_, index) => own.some(({ test }) => isOf(ids[index] ?? "", test)));

  const failing = failed.map(({ name }) => name);
  const looked = await run.step(auditSuite, { ...assignment, suite, failures: own, failing });
  if (!looked.ok) return looked.fault.infrastructure ? looked : asItIs;
  const { audit, outbox } = looked.output;
  seen.said.push(...outbox);
  const mended = corrected(suite, audit);
  if (JSON.stringify(mended) === JSON.stringify(suite)) return asItIs;
  const admission = await run.admit(suiteOfTask(id, mended));
  if (!admission.ok) return asItIs;
  seen.corrections.push(...(await record(run, id, suite, audit)));
  return { ok: true, output: { suite: mended, draft: admission.output } };
}

async function record(run: RunContext, task: string, suite: QaSuite, audit: Audit): Promise<RecordedCorrection[]> {
  const codeOf = (test: string) => suite.tests.find(({ name }) => name === test)?.code ?? "";
  const setup = audit.setup ? [{ test: "setup", before: suite.setup, ...audit.setup }] : [];
  const tests = audit.corrections.map((correction) => ({ ...correction, before: codeOf(correction.test) }));
  const replaced = [...setup, ...tests];
  for (const { test, reason, before, code } of replaced)
    await run.note("qa", { correction: { task, test, reason, before, after: code } });
  return replaced.map(({ test, reason }) => ({ task, test, reason }));
}
