import { randomBytes } from "node:crypto";
import type { FrozenSuite, OracleContext } from "@swarm/core";
import { type Ground, runInRoom } from "../room.ts";
import { suiteWith } from "./make-variants.ts";
import type { SuiteVariants } from "./variants.ts";

/** What twins of a suite said about the code. */
export type TwinFindings = {
  /** Tests that passed although something else was expected of theirs: something is equal to everything. */
  fooled: string[];
  /** Tests that passed and expected nothing that could be changed: of them the twins say nothing. */
  unasserted: string[];
  /** Why there was nothing to run; null when the twins ran. */
  notMade: string | null;
};

const SIDES = ["left", "right"] as const;
type Side = (typeof SIDES)[number] | "probe";

/**
 * Runs a suite that has passed once more with each side of its comparisons changed: what honest code computes no longer is
 * what is expected. A test that passes all the same was fooled, if it expects anything at all. That a third run tells, in
 * which the question itself fails; of a test that cannot end without having asked, its source does.
 */
export async function runTwins(
  suite: FrozenSuite,
  variants: SuiteVariants,
  ground: Ground,
  context: OracleContext,
): Promise<TwinFindings> {
  const twins = Object.entries(variants).flatMap(([path, { twin }]) => (twin === null ? [] : [[path, twin] as const]));
  if (twins.length === 0) return { fooled: [], unasserted: [...suite.tests], notMade: NOTHING_TO_CHANGE };

  const passedWith = async (side: Side): Promise<Set<string>> => {
    const name = `__swarm_twin_${randomBytes(8).toString("hex")}__`; // so that code under test cannot bring its own
    const text = (twin: string) => twin.replaceAll("__SWARM_TWIN_SIDE__", side).replaceAll("__swarm_twin__", name);
    const files = Object.fromEntries(twins.map(([path, twin]) => [path, text(twin)]));
    const { report } = await runInRoom(await suiteWith(suite, files, context), ground, context);
    const passed = report.tests.filter(({ status }) => status === "passed" || status === "xpassed");
    return new Set(passed.map(({ id }) => id));
  };
  const survivors = new Set((await Promise.all(SIDES.map(passedWith))).flatMap((passed) => [...passed]));
  if (survivors.size === 0) return { fooled: [], unasserted: [], notMade: null };

  const unasking = await passedWith("probe");
  const asks = (id: string) => !unasking.has(id) || isDirect(id, variants);
  const fooled = [...survivors].filter(asks).sort();
  const unasserted = [...survivors].filter((id) => !asks(id)).sort();
  const none = suite.tests.length > 0 && !suite.tests.some(asks);
  return { fooled, unasserted, notMade: none ? NOTHING_TO_CHANGE : null };
}

const NOTHING_TO_CHANGE = "no test expects anything that could be changed";

/** `tests/test_x.py::TestA::test_b[1]` is of the function `test_b`. */
function isDirect(id: string, variants: SuiteVariants): boolean {
  const path = Object.keys(variants).find((path) => id.startsWith(`${path}::`));
  const name = id.replace(/\[.*$/s, "").split("::").at(-1) ?? "";
  return path !== undefined && (variants[path]?.direct.includes(name) ?? false);
}
