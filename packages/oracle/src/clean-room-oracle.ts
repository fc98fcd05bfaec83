import {
  abortReason,
  type FrozenSuite,
  InvalidInputError,
  messageOf,
  type Oracle,
  unverified,
  type VerifyInput,
} from "@swarm/core";
import { admitSuite } from "./admission.ts";
import { Baselines } from "./baseline.ts";
import type { RunnerAdapter } from "./runners/adapter.ts";
import { builtInRunners } from "./runners/registry.ts";
import { testsOf } from "./settings.ts";
import { GIVEN, TASK } from "./suite-ids.ts";
import { decide } from "./verify.ts";

export type CleanRoomOptions = {
  /** Time for the tests of one suite in milliseconds, unless the task says otherwise. Default 60,000. */
  timeoutMs?: number;
  /** The test runners that tasks and suites may name. Default: {@link builtInRunners}. */
  runners?: readonly RunnerAdapter[];
};

/**
 * The judge: runs pristine tests on a candidate's filtered changes, in workspaces of its own, and believes only the runner's
 * report as far as it holds every required test. Settings stand in the task's `oracle` ({@link OracleSettings}). A candidate
 * that hangs or crashes has failed; a fault of the machinery is `infra-error`.
 */
export function cleanRoomOracle(options: CleanRoomOptions = {}): Oracle {
  const { timeoutMs = 60_000, runners = builtInRunners() } = options;
  const baselines = new Baselines();
  return {
    specificationVersion: "v1",

    validate(task) {
      testsOf(task, runners);
    },

    async prepare({ task, base }, context) {
      const tests = testsOf(task, runners);
      if (!tests?.given) return [];
      const { files, runner, entries, tests: required } = tests.given;
      const snapshot = await context.sandbox.snapshots.put({ files });
      const limited = tests.settings.timeoutMs === undefined ? {} : { timeoutMs: tests.settings.timeoutMs };
      const suite: FrozenSuite = {
        id: GIVEN,
        author: TASK,
        runner,
        snapshot,
        entries,
        tests: required ?? [],
        ...limited,
      };
      if (required) return [suite];
      const limit = tests.settings.timeoutMs ?? timeoutMs;
      const ground = { code: base, visible: [], timeoutMs: limit, runners };
      const { manifest } = await baselines.of(suite, ground, context);
      return [{ ...suite, tests: manifest }];
    },

    async admit(suite, base, context) {
      return await admitSuite(suite, base, { timeoutMs, runners }, context);
    },

    async verify(input, context) {
      const tests = testsOf(input.task, runners);
      requireGivenSuite(input, tests?.given !== null && tests?.given !== undefined);
      try {
        const limit = tests?.settings.timeoutMs ?? timeoutMs;
        return await decide(input, { tests, timeoutMs: limit, runners, baselines }, context);
      } catch (error) {
        if (context.signal.aborted) throw abortReason(context.signal);
        if (error instanceof InvalidInputError) throw error;
        return unverified("infra-error", `the work could not be judged: ${messageOf(error)}`);
      }
    },
  };
}

/** Without the task's own suite a full verdict would rest on less than the task asks for. */
function requireGivenSuite({ depth, suites }: VerifyInput, hasGiven: boolean): void {
  if (depth !== "full" || !hasGiven || suites.some(({ id, author }) => id === GIVEN && author === TASK)) return;
  throw new InvalidInputError("suites", `the suite ${GIVEN}, which prepare() froze, has to be among them`);
}
