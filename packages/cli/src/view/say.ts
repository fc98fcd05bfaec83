import {
  AdmissionSchema,
  countTests,
  type Fault,
  type FrozenSuite,
  FrozenSuiteSchema,
  type Json,
  type JsonObject,
  LLMResponseSchema,
  RecollectionSchema,
  type TestReport,
  TestReportSchema,
  type Tokens,
  VerdictSchema,
} from "@swarm/core";
import { firstLine, type Line, line, oneLine } from "./line.ts";
import { multiline } from "./say-recovery.ts";
import { count, dollars, seconds, tokensInWords } from "./words.ts";

export type EndedCall = { value: Json; fault: Fault | null; ms: number | null };

const SLOW_MS = 1000;

export function modelEnd(
  who: string,
  { value, fault, ms }: EndedCall,
  tokens: Tokens | null,
  usd: number | null,
): Line[] {
  if (fault) return [line(`${who} failed: ${fault.code}: ${firstLine(fault.message, 300)}`, "red")];
  const spent = [
    ...(tokens ? [tokensInWords(tokens)] : []),
    ...(usd ? [dollars(usd)] : []),
    ...(ms !== null && ms >= SLOW_MS ? [seconds(ms)] : []),
  ];
  return [line(`${who} ${answerInWords(value)}${spent.length > 0 ? ` (${spent.join(", ")})` : ""}`)];
}

function answerInWords(value: Json): string {
  const parts = LLMResponseSchema.safeParse(value).data?.parts ?? [];
  const tools = parts.flatMap((part) => (part.type === "tool" || part.type === "malformed" ? [part.tool] : []));
  if (tools.length > 0) return `calls ${counted(tools)}`;
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(" ");
  if (text.trim() === "") return "says nothing";
  return /^\s*[[{]/.test(text) ? "answers in JSON" : `says: ${oneLine(text, 90)}`;
}

/** `read_file x2, write_file`. */
function counted(names: readonly string[]): string {
  const groups = Map.groupBy(names, (name) => name);
  return [...groups].map(([name, { length }]) => (length > 1 ? `${name} x${length}` : name)).join(", ");
}

export function toolEnd(tool: string, args: JsonObject, { value, fault, ms }: EndedCall): Line[] {
  const { ok, output } = (value ?? {}) as { ok?: boolean; output?: string };
  const what = oneLine([tool, mainArgument(args)].join(" "), 80);
  const took = ms !== null && ms >= SLOW_MS ? ` (${seconds(ms)})` : "";
  if (ok === true) return [line(`  ${what}  ok${took}`, "dim")];
  return [line(`  ${what}  failed${took}: ${firstLine(output ?? fault?.message ?? "", 160)}`, "yellow")];
}

/** What a person wants to know of a call first: which file, which command, which text. */
function mainArgument(args: JsonObject): string {
  for (const name of ["path", "argv", "pattern", "command"]) {
    const value = args[name];
    if (typeof value === "string") return value;
    if (Array.isArray(value)) return value.join(" ");
  }
  return String(Object.values(args).find((value) => typeof value === "string") ?? "");
}

export function testEnd({ value, fault }: EndedCall): Line[] {
  if (fault) return [line(`tests could not run: ${firstLine(fault.message, 200)}`, "red")];
  const report = TestReportSchema.safeParse(value).data;
  if (!report) return [line("tests gave no report that can be read", "red")];
  const { text, ok } = testsInWords(report);
  return [line(`tests: ${text}`, ok ? "green" : "red")];
}

function testsInWords({ tests, fault }: TestReport): { text: string; ok: boolean } {
  const bad = tests.filter(({ status }) => status === "failed" || status === "error");
  const { passed, skipped } = countTests({ tests });
  const counts = [`${passed} passed`, `${bad.length} failed`, ...(skipped > 0 ? [`${skipped} skipped`] : [])].join(
    ", ",
  );
  const [first] = bad;
  const more = bad.length > 1 ? ` and ${bad.length - 1} more` : "";
  const named = first ? `: ${oneLine(first.id, 160)}${more}` : "";
  const whole = fault ? ` (${firstLine(fault.message, 200)})` : "";
  return { text: `${counts}${named}${whole}`, ok: bad.length === 0 && !fault && passed > 0 };
}

export function stepFault(attempt: number, fault: Fault, whole: boolean): Line[] {
  const where = [fault.test && `in ${fault.test}`, fault.location && `at ${fault.location}`].filter(Boolean).join(" ");
  const what = where ? `${fault.errorType ?? fault.code} ${where}` : `${fault.code}: ${firstLine(fault.message, 200)}`;
  const said = line(`attempt ${attempt} failed: ${oneLine(what, 240)}`, "red");
  return whole ? [said, ...multiline("failure", fault.message, true)] : [said];
}

/** What a role was told of earlier runs. */
export function memoryEnd(who: string, { value, fault }: EndedCall): Line[] {
  if (fault) return [line(`${who} goes on without memory: ${firstLine(fault.message, 300)}`, "yellow")];
  const runs = RecollectionSchema.array().safeParse(value).data ?? [];
  return runs.length === 0 ? [] : [line(`${who} recalls ${runs.map(({ id }) => id).join(", ")}`, "dim")];
}

/** The title of the phase that a call of the engine itself begins; null for one that happens within a phase. */
export function engineCallBegin(name: string): string | null {
  if (name === "prepare") return "prepare: the tests that the task brings";
  return name === "verify" ? "verify: the oracle judges the work in a clean room" : null;
}

export function engineCallEnd(name: string, { value, fault }: EndedCall): Line[] {
  if (fault) return [line(`${name} failed: ${firstLine(fault.message, 300)}`, "red")];
  if (name === "prepare") {
    const suites = FrozenSuiteSchema.array().safeParse(value).data ?? [];
    if (suites.length === 0) return [line("none: they will be written first")];
    return suites.map((suite) => line(`suite ${suiteInWords(suite)}`));
  }
  const verdict = VerdictSchema.safeParse(value).data;
  if (verdict) {
    const { signals, outcome, passed } = verdict;
    const text = `${signals.testsPassed} passed, ${signals.testsFailed} failed: ${outcome}`;
    return [line(name === "verify" ? text : `${name}: ${text}`, passed ? "green" : "red")];
  }
  const admission = AdmissionSchema.safeParse(value).data;
  if (!admission) return [];
  if (admission.ok) return [line(`suite frozen: ${suiteInWords(admission.output)}`)];
  return [line(`suite refused: ${firstLine(admission.fault.message, 200)}`, "yellow")];
}

function suiteInWords({ id, runner, tests }: FrozenSuite): string {
  const known = tests.length > 0 ? count(tests.length, "test") : "which tests it holds is not known yet";
  return `${id} (${runner}): ${known}`;
}
