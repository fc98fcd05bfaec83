import type { PathNode, RunPath } from "@swarm/core";
import { firstLine } from "../view/line.ts";

const MOST_DETAIL = 90;

/** A run's path as a flowchart of Mermaid: https://mermaid.js.org/syntax/flowchart.html */
export function mermaidOf(path: RunPath): string {
  const lines = [...placesOf(path), ...waysOf(path), ...classesOf(path)];
  return ["flowchart TD", ...lines.map(indented)].map((line) => `${line}\n`).join("");
}

/** The nodes, those of each branch in a frame of its own. */
function placesOf(path: RunPath): string[] {
  const places = path.nodes.map((node, index) => ({ lane: node.lane, text: `n${index}${shapeOf(node, path)}` }));
  return [...Map.groupBy(places, ({ lane }) => lane)].flatMap(([lane, of], index) => {
    const lines = of.map(({ text }) => text);
    return lane === "run" ? lines : [`subgraph b${index}["${branchOf(lane)}"]`, ...lines.map(indented), "end"];
  });
}

function waysOf({ nodes, edges }: RunPath): string[] {
  return edges.map(({ from, to, outside }) => {
    const { outcome } = nodes[from]!;
    if (outside) return `n${from} -.-> n${to}`;
    return outcome === null ? `n${from} --> n${to}` : `n${from} -->|${outcome}| n${to}`;
  });
}

/** How places look that a reader looks for, beside their shape. */
const CLASSES: readonly { name: string; style: string; of(node: PathNode): boolean }[] = [
  {
    name: "good",
    style: "stroke:#1a7f37,stroke-width:3px",
    of: ({ kind, outcome }) => kind === "end" && isGood(outcome),
  },
  { name: "bad", style: "stroke:#cf222e,stroke-width:3px", of: isBad },
  { name: "outside", style: "stroke-dasharray:2 3", of: ({ kind }) => OUTSIDE[kind] !== undefined },
  { name: "lost", style: "stroke-dasharray:6 4,opacity:0.6", of: ({ lost }) => lost },
  { name: "shared", style: "opacity:0.6", of: ({ shared }) => shared },
];

function classesOf({ nodes }: RunPath): string[] {
  return CLASSES.flatMap(({ name, style, of }) => {
    const members = nodes.flatMap((node, index) => (of(node) ? [`n${index}`] : []));
    return members.length === 0 ? [] : [`classDef ${name} ${style}`, `class ${members.join(",")} ${name}`];
  });
}

function isGood(outcome: string | null): boolean {
  return outcome === "verified" || outcome === "passed";
}
function isBad({ kind, outcome }: PathNode): boolean {
  if (kind === "end") return !isGood(outcome);
  return outcome !== null && ["retry", "failed", "refused", "not passed", "broken"].includes(outcome);
}

/** What happened to a run, in words. */
const OUTSIDE: Partial<Record<PathNode["kind"], string>> = {
  resume: "resumed",
  redelivery: "delivered again",
  fork: "forked here",
};

/** The work that has an end of its own: until that is in the log it has not ended. */
const WORK: readonly PathNode["kind"][] = ["attempt", "diagnosis", "admit", "freeze", "check", "verify"];

function shapeOf(node: PathNode, path: RunPath): string {
  const { kind, outcome, detail, lost } = node;
  const ended = outcome !== null || !WORK.includes(kind);
  const lines = [
    titleOf(node, path),
    ...(detail === null ? [] : [firstLine(detail, MOST_DETAIL)]),
    ...(ended ? [] : [lost ? "cut off: another one won" : "not ended"]),
  ];
  const text = `"${lines.map(escaped).join("<br>")}"`;
  if (kind === "start" || kind === "end") return `([${text}])`;
  if (kind === "attempt") return `[${text}]`;
  return OUTSIDE[kind] === undefined ? `(${text})` : `>${text}]`;
}

function titleOf({ kind, state, stepId, attempt, outcome }: PathNode, { runId, taskId, team }: RunPath): string {
  if (kind === "start") return `run ${runId}: ${team} on ${taskId}`;
  if (kind === "end") return outcome ?? kind;
  if (kind !== "attempt") return OUTSIDE[kind] ?? state;
  const step = stepId?.split("/").at(-1) ?? state;
  return attempt ? `${step}, attempt ${attempt + 1}` : step;
}

/** `race-implement: candidate 2`, or `all: left`. */
function branchOf(lane: string): string {
  const [group = "", branch = ""] = lane.split("/").slice(-2);
  return escaped(`${group}: ${group.startsWith("race-") ? `candidate ${Number(branch) + 1}` : branch}`);
}

/** What a label in quotes may not hold stands there as the number of its sign: models and tests write what is shown here. */
function escaped(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N} .,:;=+*/()_-]/gu, (sign) => `#${sign.codePointAt(0)};`);
}

function indented(line: string): string {
  return `  ${line}`;
}
