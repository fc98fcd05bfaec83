import type { Json, JsonObject, Payload } from "@swarm/core";
import { clean, firstLine, type Line, line, oneLine } from "./line.ts";

type How = Extract<Payload, { type: "recovered" }>["how"];

/** A text under its title: whole, or cut to one line. */
export function multiline(title: string, text: string, whole: boolean): Line[] {
  if (!whole) return [line(`${title}: ${oneLine(text, 200)}`, "yellow")];
  const lines = clean(text.trim()).split("\n");
  return [line(`${title}:`, "yellow"), ...lines.map((one) => line(`  | ${one}`.trimEnd()))];
}

export function recoveryLine(how: Exclude<How, "hint">, detail: Json, agent: string | null): Line {
  switch (how) {
    case "fallback":
      return line(`${agent} falls back to ${oneLine(String(detail))}`, "yellow");
    case "resume":
      return line("the run goes on from its log", "yellow");
    case "redelivered":
      return line("the attempt is delivered again: its worker was lost", "yellow");
    case "merged":
      return line(`branches merged: ${oneLine(((detail as { lanes?: string[] }).lanes ?? []).join(", "))}`);
    case "winner":
      return raceLine(detail as { winner?: number; ok?: boolean });
  }
}

/** Candidates are counted from 1, as people do. */
function raceLine({ winner = 0, ok }: { winner?: number; ok?: boolean }): Line {
  return ok === false ? line("no candidate of the race succeeded", "red") : line(`race won by candidate ${winner + 1}`);
}

/** A note of the infrastructure in words; one of a team by its facts. */
export function noteLine(agent: string | null, note: JsonObject): Line {
  const { event, dependency, attempt, error, to, message, suite, why, pid, run, at, problem = null } = note;
  if (event === "retry") return line(`retry ${attempt} of ${dependency}: ${firstLine(String(error), 200)}`, "yellow");
  if (event === "breaker") return line(`the circuit of ${dependency} is ${to}`, "yellow");
  if (event === "forked")
    return line(`here the fork begins: what stands above is of run ${run}, up to event ${at}`, "yellow");
  if (event === "listener_failed") return line(`a listener failed: ${firstLine(String(message))}`, "yellow");
  if (event === "tests_not_warm")
    return line(`suite ${suite} runs cold from here on: ${firstLine(String(why))}`, "yellow");
  if (event === "workspace_taken_over")
    return line(`the workspace is taken over from process ${pid}, which died`, "yellow");
  if (event === "workspace") return workspaceLine(problem);
  return line(`${agent ?? "note"}: ${oneLine(factsIn(note).join(", "), 200)}`, "dim");
}

/** What stands in a value, name by name, as far as a person would read it in passing. */
function factsIn(value: JsonObject): string[] {
  const isObject = ([, one]: [string, Json]) => one !== null && typeof one === "object" && !Array.isArray(one);
  // what is said of the whole goes first, since what comes last may be cut off
  const entries = Object.entries(value).sort((a, b) => Number(isObject(a)) - Number(isObject(b)));
  return entries.flatMap(([name, one]) => {
    if (one === null || /^[0-9a-f]{64}$/.test(String(one))) return [];
    if (typeof one === "boolean") return [one ? name : `not ${name}`];
    if (Array.isArray(one)) return [`${name}: ${one.length}`];
    if (typeof one === "object") return [name, ...factsIn(one)];
    return [`${name}: ${oneLine(String(one), 60)}`];
  });
}

function workspaceLine(problem: Json): Line {
  if (problem === null) return line("what passed is written to the workspace");
  return line(`the workspace is left as it was: ${oneLine(String(problem), 200)}`, "yellow");
}
