import type { TestProject } from "vitest/node";
import { everyTestRan } from "../every-test-ran.ts";
import { notesOfAll } from "../notes.ts";
import { NOT_REPLAYED } from "./not-replayed.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder in which each process notes what became of its runs: `replayed`, `equal`, or the name of what is not replayed. */
    replays: string;
  }
}

/** Prints after the tests how many of their runs were replayed. Where all tests ran, an exception that no run needs is an error. */
export default function setUp(project: TestProject): () => Promise<void> {
  const notes = notesOfAll();
  project.provide("replays", notes.folder);
  return async () => {
    const counts = Map.groupBy(notes.take(), (line) => line);
    const countOf = (line: string) => counts.get(line)?.length ?? 0;
    if (counts.size === 0) return;
    console.log(`\nruns of the tests: ${countOf("replayed")} replayed with no divergence`);
    console.log(`${String(countOf("equal")).padStart(6)}  equal to one of these, of the same file`);
    const rows = NOT_REPLAYED.map(({ name, why }) => ({ name, why, runs: countOf(name) }));
    for (const { name, why, runs } of rows)
      if (runs > 0) console.log(`${String(runs).padStart(6)}  not replayed, of "${name}": ${why}`);
    const idle = rows.flatMap(({ name, runs }) => (runs === 0 ? [name] : []));
    if (idle.length > 0 && (await everyTestRan(project.vitest)))
      throw new Error(`test/runs/not-replayed.ts names what no run needs any more:\n  ${idle.join("\n  ")}`);
  };
}
