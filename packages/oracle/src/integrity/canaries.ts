import { randomBytes } from "node:crypto";
import type { FrozenSuite, JsonObject, Snapshots, TestReport } from "@swarm/core";
import { type Canary, canaryCode } from "./canary-code.ts";

export type WithCanaries = { suite: FrozenSuite; canaries: Canary[] };

/**
 * The suite with a canary in each of its test files: in their process, their scope and their order. Their names are random,
 * so that code under test cannot know them before. A runner that has no canary code gives the suite as it is.
 */
export async function withCanaries(suite: FrozenSuite, snapshots: Snapshots): Promise<WithCanaries> {
  const code = canaryCode(suite.runner);
  if (!code) return { suite, canaries: [] };
  const files: Record<string, string> = {};
  const canaries: Canary[] = [];
  for (const entry of suite.entries) {
    const [holds, breaks, word] = [randomName(), randomName(), randomName()];
    const text = Buffer.from(await snapshots.read(suite.snapshot, entry)).toString();
    files[entry] = `${text}\n${code({ entry, holds, breaks, word })}`;
    canaries.push({ entry, holds, breaks, word });
  }
  const snapshot = await snapshots.overlay(suite.snapshot, [await snapshots.put({ files })]);
  return { suite: { ...suite, snapshot }, canaries };
}

/**
 * The report without the canaries, and what their results tell of the runner. A canary that should have failed and passed
 * shows interference whatever else happened; one that is missing or failed otherwise only where its file's tests passed.
 */
export function takeCanaries(
  report: TestReport,
  canaries: readonly Canary[],
): { report: TestReport; tampering: JsonObject[] } {
  const names = new Map(canaries.flatMap((canary) => [canary.holds, canary.breaks].map((name) => [name, canary])));
  const nameIn = (id: string) => [...names.keys()].find((name) => id.endsWith(name));
  const own = report.tests.filter(({ id }) => nameIn(id) === undefined);
  const tampering: JsonObject[] = [];
  for (const { entry, holds, breaks, word } of canaries) {
    const [held, broke] = [holds, breaks].map((name) => report.tests.filter(({ id }) => id.endsWith(name)));
    const told = (what: string) => tampering.push({ kind: "canary", path: entry, what });
    if (broke?.some(({ status }) => status === "passed" || status === "xpassed")) {
      told("a test that must fail was reported as passed");
      continue;
    }
    const inFile = own.filter(({ file }) => file === entry);
    if (report.fault || !inFile.some(({ status }) => status === "passed")) continue;
    const [result] = broke ?? [];
    if (broke?.length !== 1 || result?.status !== "failed" || !result.message?.includes(word)) {
      told("a test that must fail was not reported as failed by its own hand");
    }
    if (held?.length !== 1 || held[0]?.status !== "passed") told("a test that must pass was not reported as passed");
  }
  const fault = report.fault?.test && nameIn(report.fault.test) ? { ...report.fault, test: null } : report.fault;
  return { report: { tests: own, fault }, tampering };
}

function randomName(): string {
  return `test_${randomBytes(8).toString("hex")}`;
}
