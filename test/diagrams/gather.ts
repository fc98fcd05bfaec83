// A set-up of every test file that lets teams run: the log of each run is compared with the team's diagram when it has ended,
// and what it took is noted for the coverage, whatever test made it and in whichever order.
import { runPath, transitionsOf } from "@swarm/core";
import { afterAll, inject } from "vitest";
import { note } from "../notes.ts";
import { onEachRun } from "../runs/each-run.ts";
import { diagrams, inWords } from "./diagrams.ts";

const drawn = diagrams();
const strange = new Set<string>();
const notes = inject("transitions");

onEachRun(({ trajectory }) => {
  const path = runPath(trajectory);
  const ways = drawn.get(path.team);
  if (!ways) return;
  const taken = transitionsOf(path).map(inWords);
  for (const way of taken) if (!ways.includes(way)) strange.add(`${path.team}: ${way}`);
  note(
    notes,
    taken.map((way) => `${path.team}: ${way}`),
  );
});

afterAll(() => {
  if (strange.size === 0) return;
  throw new Error(`runs took ways that no diagram of docs/teams.md has:\n  ${[...strange].sort().join("\n  ")}`);
});
