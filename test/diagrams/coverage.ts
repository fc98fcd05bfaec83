import type { TestProject } from "vitest/node";
import { everyTestRan } from "../every-test-ran.ts";
import { notesOfAll } from "../notes.ts";
import { diagrams } from "./diagrams.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder in which each process notes the transitions that its runs took. */
    transitions: string;
  }
}

/** Prints after the tests how many runs took each way of each team's diagram. Where all tests ran, one that none took is an error. */
export default function setUp(project: TestProject): () => Promise<void> {
  const notes = notesOfAll();
  project.provide("transitions", notes.folder);
  return async () => {
    const counts = Map.groupBy(notes.take(), (line) => line);
    const untaken = [...diagrams()].flatMap(([team, ways]) => {
      const rows = ways.map((way) => ({ way, runs: counts.get(`${team}: ${way}`)?.length ?? 0 }));
      const taken = rows.filter(({ runs }) => runs > 0).length;
      if (taken > 0) {
        console.log(`\n${team}: runs of the tests took ${taken} of the ${rows.length} ways of its diagram`);
        for (const { way, runs } of rows) console.log(`${String(runs).padStart(6)}  ${way}`);
      }
      return rows.flatMap(({ way, runs }) => (runs === 0 ? [`${team}: ${way}`] : []));
    });
    if (untaken.length > 0 && (await everyTestRan(project.vitest)))
      throw new Error(`no run of the tests took these ways of docs/teams.md:\n  ${untaken.join("\n  ")}`);
  };
}
