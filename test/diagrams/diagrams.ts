import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Transition } from "@swarm/core";

const PAGE = fileURLToPath(new URL("../../docs/teams.md", import.meta.url));

/** The transitions of each team's diagram in docs/teams.md, in words, by the team's name: that of its section. */
export function diagrams(page: string = readFileSync(PAGE, "utf8")): ReadonlyMap<string, readonly string[]> {
  const [, ...sections] = page.split(/^## /m);
  return new Map(
    sections.flatMap((section): [string, string[]][] => {
      const [, diagram] = /^```mermaid\n(.*?)^```$/ms.exec(section) ?? [];
      return diagram === undefined ? [] : [[section.split("\n")[0]!.trim(), transitionsIn(diagram)]];
    }),
  );
}

/** A transition as the coverage table has it. */
export function inWords({ from, outcome, to }: Transition): string {
  return from === "start" ? `start → ${to}` : `${from} → ${outcome} → ${to}`;
}

const NODE = /^ {2}(\w+)[[(]+"([^"]+)"[\])]+$/;
const WAY = /^ {2}(\w+) -->(?:\|([^|]+)\|)? (\w+)$/;

/** A diagram's nodes stand first, a line each, then its ways. What else stands there is an error, so that nothing is overlooked. */
function transitionsIn(diagram: string): string[] {
  const states = new Map<string, string>();
  return diagram.split("\n").flatMap((line) => {
    const [, id, state] = NODE.exec(line) ?? [];
    if (id !== undefined && state !== undefined) states.set(id, state);
    const [way, from, outcome = null, to] = WAY.exec(line) ?? [];
    if (id === undefined && way === undefined && !["flowchart TD", ""].includes(line))
      throw new Error(`a diagram of docs/teams.md holds what is neither a state nor a way: ${line}`);
    return way === undefined ? [] : [inWords({ from: stateOf(from), outcome, to: stateOf(to) })];
  });

  function stateOf(id = ""): string {
    const state = states.get(id);
    if (state === undefined) throw new Error(`a diagram of docs/teams.md has a way to ${id}, which is no state of it`);
    return state;
  }
}
