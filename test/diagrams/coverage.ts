import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject, Vitest } from "vitest/node";
import { projects as packages } from "../../vitest.workspace.ts";
import { diagrams } from "./diagrams.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder in which each process notes the transitions that its runs took. */
    transitions: string;
  }
}

/** Prints after the tests how many runs took each way of each team's diagram. Where all tests ran, one that none took is an error. */
export default function setUp(project: TestProject): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "swarm-transitions-"));
  project.provide("transitions", folder);
  return async () => {
    const lines = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), "utf8").trimEnd().split("\n"));
    rmSync(folder, { recursive: true });
    const counts = Map.groupBy(lines, (line) => line);
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

async function everyTestRan(vitest: Vitest): Promise<boolean> {
  if (vitest.config.testNamePattern || vitest.projects.length <= packages.length) return false;
  const ran = new Set(vitest.state.getTestModules().map(({ moduleId }) => moduleId));
  return (await vitest.globTestSpecifications()).every(({ moduleId }) => ran.has(moduleId));
}
