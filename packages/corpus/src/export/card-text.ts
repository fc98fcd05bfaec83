import type { DataCard } from "./card.ts";

const MOST_SIGNATURES = 20;

/** A data card as Markdown. */
export function cardText(card: DataCard): string {
  const { filter, tokens, usd, problemsNamed } = card;
  const money = usd === null ? "not known" : `$${usd.toFixed(2)}`;
  return [
    `# Data card: ${card.format}`,
    "",
    ...table("what", [
      ["rows", card.rows],
      ["bytes", card.bytes],
      ["logs that were read", card.logs],
      ["runs that were taken", card.runs],
      ["of those with rows", card.runsWithRows],
      ["tasks", card.tasks],
      ["tokens in", tokens.input],
      ["tokens out", tokens.output],
      ["rows left out since an equal one is there", card.duplicates],
      ["logs that could not be exported", card.problems],
    ]),
    "",
    `The runs cost ${money}. Filter: \`${JSON.stringify(filter)}\`.`,
    ...section("Outcomes of the runs", "outcome", card.outcomes),
    ...section("Teams", "team", card.teams),
    ...section("Models, by runs that called them", "model", card.models),
    ...section("Failure signatures of runs that did not pass", "signature", card.signatures, MOST_SIGNATURES),
    ...section("Licences of the tasks", "licence", card.licences),
    ...section("Runs that the filter refused", "by", card.filtered),
    ...section("Rows that were not made", "why", card.leftOut),
    ...(problemsNamed.length === 0 ? [] : ["", "## Logs that could not be exported", ""]),
    ...problemsNamed.map(({ log, problem }) => `- ${cell(log)}: ${cell(problem)}`),
    "",
  ].join("\n");
}

function section(title: string, name: string, counts: Record<string, number>, most = Number.POSITIVE_INFINITY) {
  const ranked = Object.entries(counts).sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  if (ranked.length === 0) return [];
  const rest = ranked.slice(most).reduce((sum, [, count]) => sum + count, 0);
  const more: [string, number][] = rest === 0 ? [] : [[`${ranked.length - most} others`, rest]];
  return ["", `## ${title}`, "", ...table(name, [...ranked.slice(0, most), ...more])];
}

function table(name: string, rows: readonly (readonly [string, number])[]): string[] {
  return [`| ${name} | count |`, "| --- | ---: |", ...rows.map(([what, count]) => `| ${cell(what)} | ${count} |`)];
}

/** Text that stays within its cell. */
function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ");
}
