import type { Vitest } from "vitest/node";
import { projects as packages } from "../vitest.workspace.ts";

/** Whether all tests ran, so that what none of them did is missing. */
export async function everyTestRan(vitest: Vitest): Promise<boolean> {
  if (vitest.config.testNamePattern || vitest.projects.length <= packages.length) return false;
  const ran = new Set(vitest.state.getTestModules().map(({ moduleId }) => moduleId));
  return (await vitest.globTestSpecifications()).every(({ moduleId }) => ran.has(moduleId));
}
