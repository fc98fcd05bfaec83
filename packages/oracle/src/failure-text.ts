import { headAndTail, mask, type TestReport, type TestResult } from "@swarm/core";
import { type FailureGroup, failureGroups } from "./failure-groups.ts";
import { withoutNoise } from "./without-noise.ts";

/** Characters that every kind of failure is given, if there is room for all of them. */
const LEAST = 300;
const ID_LIMIT = 300;

/**
 * The failures of a report, condensed for a model to repair from: how many tests failed, the fault of the run, then each kind of
 * failure once, with its error, both values as the runner compared them, the lines of the workspace that led there, and the
 * other tests that failed in the same way. Never longer than `limit` characters: long messages lose their middle, then the last
 * kinds are only counted. Empty when nothing failed.
 */
export function failureText(report: TestReport, limit: number): string {
  const groups = failureGroups(report);
  const { fault, tests } = report;
  if (groups.length === 0 && fault === null) return "";
  const failing = groups.reduce((count, { others }) => count + 1 + others.length, 0);
  let text = `${failing} of ${tests.length} tests failed.`;
  // What could not be loaded is told as a failing test below.
  if (fault && !groups.some(({ first }) => first.id === fault.test)) {
    text += `\n${fault.code}: ${shortened(withoutNoise(fault.message), Math.floor(limit / 4))}`;
  }

  let left = failing;
  for (const [index, group] of groups.entries()) {
    const rest = `\n\n… and ${left} more failed.`;
    const room = limit - text.length - rest.length - 2;
    const share = Math.max(LEAST, Math.floor(room / (groups.length - index)));
    const block = describe(group, share);
    if (block.length > room) return `${text}${rest}`.slice(0, limit);
    text += `\n\n${block}`;
    left -= 1 + group.others.length;
  }
  return text.slice(0, limit);
}

/** At most `room` characters, unless its first lines alone are longer. */
function describe({ first, others }: FailureGroup, room: number): string {
  const where = [first.errorType, first.location && `at ${first.location}`].filter(Boolean).join(" ");
  const head = [`${first.status.toUpperCase()} ${shortened(first.id, ID_LIMIT)}`, where]
    .filter((line) => line !== "")
    .join("\n");
  const message = messageOf(first);
  const frames = framesOf(first, Math.floor(room / 3));
  const same = sameOf(first, others, Math.floor(room / 4));
  const told = [frames, same].filter((part) => part !== "");
  const used = [head, ...told].reduce((length, part) => length + part.length + 1, 0);
  return [head, shortened(message, room - used - 1), ...told].filter((part) => part !== "").join("\n");
}

/** The innermost lines that there is room for, the outermost first. */
function framesOf({ frames = [] }: TestResult, room: number): string {
  const lines: string[] = [];
  let left = room;
  for (const { location, source } of frames.filter((frame) => frame.source !== null).reverse()) {
    const line = `  ${location}: ${source}`;
    left -= line.length + 1;
    if (left < 0) break;
    lines.unshift(line);
  }
  return lines.join("\n");
}

/** The tests that failed in the same way, with what was said where that differs. */
function sameOf(first: TestResult, others: readonly TestResult[], room: number): string {
  if (others.length === 0) return "";
  const lines = ["In the same way:"];
  let left = room - 40;
  for (const [index, other] of others.entries()) {
    const said = firstLine(other);
    const line = `- ${shortened(other.id, ID_LIMIT)}${mask(said) === mask(firstLine(first)) ? "" : `: ${said}`}`;
    left -= line.length + 1;
    if (left < 0) return [...lines, `- and ${others.length - index} more`].join("\n");
    lines.push(line);
  }
  return lines.join("\n");
}

/** The message without the error type at its head, which is told apart. */
function messageOf({ message, errorType }: TestResult): string {
  const told = withoutNoise(message ?? "");
  return errorType !== null && told.startsWith(`${errorType}: `) ? told.slice(errorType.length + 2) : told;
}

function firstLine(test: TestResult): string {
  return shortened(messageOf(test).split("\n")[0] ?? "", 120);
}

/** At most `limit` characters, from both ends. */
function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text;
  // What stands in for the middle takes room of its own.
  const mark = headAndTail(text, 0).length;
  return limit <= mark ? "" : headAndTail(text, limit - mark);
}
