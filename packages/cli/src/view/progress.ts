import { costOf, type LogHeader, type RunEvent } from "@swarm/core";
import { type Line, line, oneLine } from "./line.ts";
import { attemptOf, type OpenCall, OpenCalls } from "./open-calls.ts";
import { engineCallBegin, engineCallEnd, memoryEnd, modelEnd, stepFault, testEnd, toolEnd } from "./say.ts";
import { multiline, noteLine, recoveryLine } from "./say-recovery.ts";
import { count } from "./words.ts";

export type ProgressOptions = {
  /** What a log's header says; of a run under way, what it is going to say. */
  facts: Pick<LogHeader, "team" | "prices">;
  /** Hints and failures as they are, not cut to a line. Default false. */
  whole?: boolean;
};

/** A view of a run: events in, lines out, in the order of the log. The same for a run under way and for one read years later. */
export interface Progress {
  lines(event: RunEvent): Line[];
  /** What is being waited for, such as `coder [3/10]`. */
  working(): string;
}

export function progress({ facts, whole = false }: ProgressOptions): Progress {
  const calls = new OpenCalls();
  const retries = new Map<string, number>();
  const said = new Set<string>();
  let phases = 0;

  const phase = (title: string): Line[] => [line(""), line(`[${++phases}] ${title}`, "bold")];
  const inPhase = ({ stepId }: RunEvent, said: readonly Line[]): Line[] => {
    const lane = laneOf(stepId);
    return said.map(({ text, tone }) => line(`    ${lane}${text}`, tone));
  };

  /** A memory is asked before each call, and mostly says the same. */
  const unsaid = (lines: Line[]) => lines.filter(({ text }) => !said.has(text) && said.add(text));

  function begin(event: RunEvent): Line[] {
    const call = calls.begin(event);
    if (call?.op !== "other" || event.stepId.includes("/")) return [];
    const title = engineCallBegin(call.name);
    return title === null ? [] : phase(title);
  }

  function end(event: RunEvent): Line[] {
    const { payload } = event;
    if (payload.type !== "end") return [];
    const begun = calls.end(event);
    if (!begun) return [];
    const { call, agent, nth } = begun;
    if (event.key === null) return [line(`${callInWords(begun)}: cut off`, "yellow")];
    const ms = payload.measured?.["ms"];
    const ended = { value: payload.value, fault: payload.fault, ms: typeof ms === "number" ? ms : null };
    switch (call.op) {
      case "model": {
        const price = facts.prices[call.model];
        const usd = payload.tokens && price ? costOf(payload.tokens, price) : null;
        return modelEnd(`${agent} ${numbered(nth, callLimit(facts, agent))}`, ended, payload.tokens ?? null, usd);
      }
      case "tool":
        return toolEnd(call.tool, call.args, ended);
      case "test":
        return testEnd(ended);
      case "other":
        if (call.name === "memory") return unsaid(memoryEnd(agent, ended));
        return engineCallEnd(call.name, ended);
    }
  }

  return {
    lines(event) {
      const { payload, stepId, key, agent } = event;
      switch (payload.type) {
        case "begin":
          return begin(event);
        case "end":
          return inPhase(event, end(event));
        case "step":
          retries.set(payload.step.stepId, payload.step.maxRetries);
          return phase(stepTitle(payload.step));
        case "attempt": {
          const attempt = attemptOf(key);
          if (attempt === 0) return [];
          return inPhase(event, [line(`attempt ${attempt + 1} of ${(retries.get(stepId) ?? attempt) + 1}`, "bold")]);
        }
        case "fault":
          return key === null ? [] : inPhase(event, stepFault(attemptOf(key) + 1, payload.fault, whole));
        case "recovered":
          if (payload.how === "hint") return inPhase(event, multiline("hint", String(payload.detail), whole));
          return inPhase(event, [recoveryLine(payload.how, payload.detail, agent)]);
        case "result": {
          const { ok, attempts, stepId } = payload.result;
          const text = `${ok ? "done" : attempts === 1 ? "failed" : "given up"} after ${count(attempts, "attempt")}`;
          return inPhase({ ...event, stepId }, [line(text, ok ? "green" : "red")]);
        }
        case "note":
          return "report" in payload.note ? [] : inPhase(event, [noteLine(agent, payload.note)]);
        case "frozen":
        case "verdict":
          return [];
      }
    },

    working() {
      const open = calls.latest();
      return open ? callInWords(open) : "the run goes on";
    },
  };

  function callInWords({ call, agent, nth }: OpenCall): string {
    switch (call.op) {
      case "model":
        return `${agent} ${numbered(nth, callLimit(facts, agent))}: ${call.model} is answering`;
      case "tool":
        return `${agent}: ${call.tool} is running`;
      case "test":
        return "the tests are running";
      case "other":
        return `${call.name} is under way`;
    }
  }
}

/** By the convention that a team's configuration holds it as `calls`, by role, or as `maxCalls`. */
function callLimit({ team }: ProgressOptions["facts"], role: string): number | null {
  const { calls, maxCalls } = team.config;
  const limit = (calls as Record<string, unknown> | undefined)?.[role] ?? maxCalls;
  return typeof limit === "number" ? limit : null;
}

function numbered(nth: number, limit: number | null): string {
  return limit === null ? `[${nth}]` : `[${nth}/${limit}]`;
}

/** `run/all/left/write` is work of the lane `all/left`; `run/write` is of the only lane there is. */
function laneOf(stepId: string): string {
  const between = stepId.split("/").slice(1, -1);
  return between.length === 0 ? "" : `${between.join("/")}: `;
}

function stepTitle({ stepId, input }: { stepId: string; input: unknown }): string {
  const { step, number, of } = (input ?? {}) as { step?: { title?: unknown }; number?: unknown; of?: unknown };
  const name = stepId.split("/").slice(1).join("/");
  const place = typeof number === "number" && typeof of === "number" ? `, step ${number} of ${of}` : "";
  return `${name}${place}${typeof step?.title === "string" ? `: ${oneLine(step.title)}` : ""}`;
}
