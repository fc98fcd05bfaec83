import type { EventKind } from "../contracts/event.ts";
import type { Site, StepHost } from "../contracts/executor.ts";
import type { Json, JsonObject } from "../contracts/json.ts";
import type { AttemptContext, Execution, FilesView } from "../contracts/program.ts";
import type { AttemptOrder } from "../contracts/step.ts";
import type { TestReport } from "../contracts/suite.ts";
import { CallError, ContextError } from "../errors.ts";
import { TurnSources } from "../log/thread.ts";
import { testFault } from "../test-fault.ts";
import type { AttemptTests } from "./attempt-tests.ts";
import { PendingAdvice } from "./pending-advice.ts";
import type { PendingCall, Recorder } from "./recorder.ts";
import { RoleAtWork } from "./role-at-work.ts";

export type ContextSource = {
  order: AttemptOrder;
  site: Site;
  host: StepHost;
  recorder: Recorder;
  tests: AttemptTests;
  epoch: number;
  signal: AbortSignal;
};

/** What a program sees of its attempt. */
export function attemptContext({
  order,
  site,
  host,
  recorder,
  tests,
  epoch,
  signal,
}: ContextSource): AttemptContext<Json> {
  const { step, attempt, hint } = order;
  const sources = new TurnSources();
  const advice = new PendingAdvice(step.advice);
  const roles = new Map<string, RoleAtWork>();
  const facts = new Map<string, Json>();
  const executions: Execution[] = [];

  const files: FilesView = {
    list: () => site.sandbox.snapshots.list(recorder.snapshot),
    read: (path) => site.sandbox.snapshots.read(recorder.snapshot, path),
    changes: () => site.sandbox.snapshots.diff(step.snapshot, recorder.snapshot),
  };

  function notice(note: JsonObject): void {
    const kind = kindOf(note);
    const payload = { type: "note", note } as const;
    // an ambient note that comes too late (after a fence, say) is no reason to fail the call that it is about
    host.append(epoch, [{ stepId: step.stepId, key: null, kind, agent: null, payload }]).catch(() => {});
  }

  async function call<T extends Json>(kind: "agent" | "test", call: PendingCall): Promise<T> {
    const [ended] = await recorder.calls(kind, null, [call]);
    if (ended!.fault) throw new CallError(ended!.fault);
    return ended!.value as T;
  }

  return {
    task: step.task,
    attempt,
    hint,
    seed: step.variant?.seed ?? 0,
    signal,
    files,
    suites: step.suites,
    executions,
    done: (output) => ({ ok: true, output }),
    fail: (fault) => ({ ok: false, fault }),

    role(name) {
      const known = roles.get(name);
      if (known) return known;
      const role = Object.hasOwn(site.team.roles, name) ? site.team.roles[name] : undefined;
      if (!role) {
        const names = Object.keys(site.team.roles).join(", ");
        throw new ContextError("UNKNOWN_ROLE", `team ${site.team.name} has no role ${name}; it has: ${names}`);
      }
      const atWork = new RoleAtWork(name, role, { order, site, recorder, tests, sources, advice, executions, notice });
      roles.set(name, atWork);
      return atWork;
    },

    test: (wanted) =>
      recorder.gate.run(async () => {
        const suites = tests.select(wanted);
        const report = await call<TestReport>("test", {
          call: { op: "test", suites: suites.map(({ id }) => id) },
          effect: "none",
          async run(signal) {
            const { snapshot } = recorder;
            const run = (signal: AbortSignal) => tests.run(snapshot, suites, { signal, notice });
            const { report, durations } = await site.guard.call({
              dependency: "tests",
              signal,
              idempotent: false,
              run,
              notice,
            });
            return { value: report, measured: { durations } };
          },
        });
        if (report.loaded) executions.push({ ok: passedAll(report), loaded: report.loaded });
        return report;
      }),

    once: (name, run) =>
      recorder.gate.run(async () => {
        if (!facts.has(name)) {
          facts.set(
            name,
            await call("agent", {
              call: { op: "other", name },
              effect: "none",
              run: async (signal) => ({ value: await run(signal) }),
            }),
          );
        }
        return structuredClone(facts.get(name)) as never;
      }),
  };
}

function passedAll(report: TestReport): boolean {
  return report.tests.length > 0 && testFault(report) === null;
}

/** A breaker that opens, or a call or test run that has to be made again, is a failure; what gets better is a recovery. */
function kindOf({ event, to }: JsonObject): EventKind {
  if (event === "retry" || event === "tests_not_warm" || to === "open") return "failure";
  return event === "breaker" ? "recovery" : "agent";
}
