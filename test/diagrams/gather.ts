// A set-up of every test file that lets teams run: the log of each run is compared with the team's diagram when it has ended,
// and what it took is noted for the coverage, whatever test made it and in whichever order.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { runPath, transitionsOf } from "@swarm/core";
import { afterAll, inject } from "vitest";
import { onEachRun } from "../runs/each-run.ts";
import { diagrams, inWords } from "./diagrams.ts";

const drawn = diagrams();
const strange = new Set<string>();
const file = join(inject("transitions"), `${process.pid}.txt`);

onEachRun(({ trajectory }) => {
  const path = runPath(trajectory);
  const ways = drawn.get(path.team);
  if (!ways) return;
  const taken = transitionsOf(path).map(inWords);
  for (const way of taken) if (!ways.includes(way)) strange.add(`${path.team}: ${way}`);
  appendFileSync(file, taken.map((way) => `${path.team}: ${way}\n`).join(""));
});

afterAll(() => {
  if (strange.size === 0) return;
  throw new Error(`runs took ways that no diagram of docs/teams.md has:\n  ${[...strange].sort().join("\n  ")}`);
});
