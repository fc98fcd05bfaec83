import type { CallCost, CostReport, CostTotal } from "@swarm/core";
import { type Line, line } from "./line.ts";
import { table } from "./table.ts";
import { count, dollars, formatted, tokensInWords } from "./words.ts";

/** A cost report as a table by role with the total, and what the sums leave out or take as spent. */
export function costLines(report: CostReport): Line[] {
  const { runId, outcome, byRole, total, lost, inherited, unpriced, calls } = report;
  const rows = Object.entries(byRole).map(([role, spent]) => [role, ...cells(spent)]);
  const lines = table([
    ["role", "calls", "input", "output", "cache read", "cache write", "cost"],
    ...rows,
    ["total", ...cells(total)],
  ]);
  const unknown = calls.filter(({ basis }) => basis === "reserved");
  return [
    line(`run ${runId}: ${outcome ?? "no verdict"}`, "bold"),
    ...lines.map((text) => line(text)),
    ...part("in it, of branches that lost a race", lost),
    ...part("not in it, of the run that this one was forked from", inherited),
    ...unpriced.map((model) => line(`no price is known of ${model}: what it cost is in no sum`, "yellow")),
    ...(unknown.length === 0
      ? []
      : [line(`${count(unknown.length, "call")} of unknown use: counted with all that it could have used`, "yellow")]),
    ...unknown.slice(0, MOST_TOLD).map((call) => line(`  ${unknownInWords(call)}`, "yellow")),
    ...(unknown.length <= MOST_TOLD ? [] : [line(`  and ${unknown.length - MOST_TOLD} more`, "yellow")]),
  ];
}

const MOST_TOLD = 10;

function part(what: string, { calls, tokens, usd }: CostTotal): Line[] {
  if (calls === 0) return [];
  const cost = usd === null ? "not known" : dollars(usd);
  return [line(`${what}: ${count(calls, "call")}, ${tokensInWords(tokens)}, ${cost}`)];
}

/** A call whose answer never came, such as one that a crash cut off, or came too late to be counted. */
function unknownInWords({ role, stepId, fault, tokens, usd }: CallCost): string {
  const most = `${formatted(tokens.input + tokens.output)} tokens at most${usd === null ? "" : `, ${dollars(usd)}`}`;
  return `${role} in ${stepId}: ${fault ?? "cut off"}, ${most}`;
}

function cells({ calls, tokens, usd }: CostTotal): string[] {
  const { input, output, cacheRead, cacheWrite } = tokens;
  const numbers = [calls, input, output, cacheRead, cacheWrite].map(formatted);
  return [...numbers, usd === null ? "not known" : dollars(usd)];
}
