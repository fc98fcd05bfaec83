import type { Difference, Divergence, DivergenceCause, Json } from "@swarm/core";
import { clean, type Line, line, oneLine } from "./line.ts";
import { count } from "./words.ts";

const MOST_DIFFERENCES = 5;
/** Lines of a text that are shown of one side, and lines around what differs. */
const MOST_LINES = 20;
const AROUND = 2;

/** Where a replay came out otherwise, why, and both sides; `-` is what the log holds and `+` what came now. */
export function divergenceLines(divergence: Divergence, files: readonly string[]): Line[] {
  const { stepId, event, other, cause, differences } = divergence;
  const key = (event ?? other)?.key;
  const place = event === null ? "" : `, event ${event.tsIndex} of the log`;
  const readable = files.length === 0 ? differences : differences.filter(({ path }) => !isSnapshot(path));
  const shown = readable.slice(0, MOST_DIFFERENCES);
  const more = readable.length - shown.length;
  return [
    line(`DIVERGED: ${causeInWords(cause)}`, "red"),
    ...(cause.kind === "task" ? [] : [line(`at ${stepId}${key ? ` ${key}` : ""}${place}`)]),
    ...shown.flatMap(differenceLines),
    ...(files.length === 0
      ? []
      : [line("files", "bold"), ...files.slice(0, MOST_LINES).map((file) => line(`  ${file}`))]),
    ...(more > 0 ? [line(`and ${count(more, "more difference")}`, "dim")] : []),
  ];
}

/** Whether what differs is the name of a snapshot, which says nothing to a person. */
export function isSnapshot(path: string): boolean {
  return /(^|\.)snapshot$/.test(path);
}

function causeInWords(cause: DivergenceCause): string {
  switch (cause.kind) {
    case "task":
      return `the task is another one than the log's: ${cause.field}`;
    case "prompt":
      return `${cause.role} is asked something else: ${promptInWords(cause)}`;
    case "tool-output":
      return `the tool ${cause.tool} gave another output, or left other files`;
    case "test-result":
      return "the tests gave another report";
    case "oracle":
      return `the oracle's ${cause.call} came out otherwise`;
    case "fact":
      return `${cause.call} gave another answer`;
    case "order":
      return "the same was done in another order";
    case "missing-call":
      return `a call of the log was not made: ${cause.call}`;
    case "extra-call":
      return `a call was made that the log does not have: ${cause.call}`;
    case "program":
      return "the program or the workflow did something else";
  }
}

function promptInWords({ part, tool }: DivergenceCause & { kind: "prompt" }): string {
  const parts = {
    system: "its system prompt",
    turns: "the conversation",
    settings: "a setting",
    model: "another model",
  };
  return part === "tools" ? `what it is told of the tool ${tool}` : parts[part];
}

function differenceLines({ path, before, after }: Difference): Line[] {
  const [then, now] = [textOf(before), textOf(after)];
  const start = commonStart(then, now);
  const end = commonEnd(then.slice(start), now.slice(start));
  const from = Math.max(0, start - AROUND);
  const side = (lines: string[], mark: string, tone: Line["tone"]) => {
    const changed = lines.slice(start, lines.length - end);
    const left = changed.length - MOST_LINES;
    const shown = changed.slice(0, MOST_LINES).map((text) => line(`${mark} ${oneLine(text, 200)}`, tone));
    return left > 0 ? [...shown, line(`${mark} … ${count(left, "more line")}`, tone)] : shown;
  };
  const same = (lines: string[]) => lines.map((text) => line(`  ${oneLine(text, 200)}`, "dim"));
  return [
    line(path, "bold"),
    ...same(then.slice(from, start)),
    ...side(then, "-", "red"),
    ...side(now, "+", "green"),
    ...same(then.slice(then.length - end, then.length - end + Math.min(end, AROUND))),
  ];
}

function textOf(value: Json | undefined): string[] {
  if (value === undefined) return [];
  return clean(typeof value === "string" ? value : JSON.stringify(value, null, 2)).split("\n");
}

function commonStart(a: readonly string[], b: readonly string[]): number {
  const index = a.findIndex((text, at) => text !== b[at]);
  return index === -1 ? a.length : index;
}

function commonEnd(a: readonly string[], b: readonly string[]): number {
  return commonStart(a.toReversed(), b.toReversed());
}
