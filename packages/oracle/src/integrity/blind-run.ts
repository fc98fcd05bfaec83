import type { FrozenSuite, OracleContext } from "@swarm/core";
import { suiteWith } from "./make-variants.ts";
import type { SuiteVariants } from "./variants.ts";

/** Runners whose test files load what blinds code under test before they load that code. */
const RUNNERS = ["pytest", "node:test"];

/** A suite whose tests code under test cannot read, neither as files nor by way of its callers; itself where that is not built. */
export async function blinded(
  suite: FrozenSuite,
  variants: SuiteVariants,
  context: OracleContext,
): Promise<FrozenSuite> {
  const files = Object.fromEntries(
    Object.entries(variants).flatMap(([path, { blind }]) =>
      blind !== null && suite.entries.includes(path) ? [[path, blind]] : [],
    ),
  );
  return RUNNERS.includes(suite.runner) ? await suiteWith(suite, files, context) : suite;
}
