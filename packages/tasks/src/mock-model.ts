import { InvalidInputError } from "@swarm/core";
import { type Answer, type Script, type ScriptedClient, scripted } from "@swarm/core/testing";
import type { LoadedTask, MockDelivery } from "./read-task-file.ts";

export type MockOptions = {
  /** The team that the model plays all roles of. Default `codeswarm`. */
  team?: keyof typeof SCRIPTS;
  /** Every delivery is the wrong one, so that the run fails when its retries or repairs are spent. Default false. */
  never?: boolean;
};

/** The answers of one model in all roles of a team, through its whole loop: see there. */
export function mockScript(delivery: MockDelivery, { team = "codeswarm", never = false }: MockOptions = {}): Script {
  return SCRIPTS[team](delivery, never);
}

const SCRIPTS = { codeswarm: codeswarmScript, "self-healing": selfHealingScript };

/** A plan of one step, a wrong delivery, a hint from the reviewer, the right delivery. */
function codeswarmScript(delivery: MockDelivery, never: boolean): Script {
  const planned = { "run/plan|planner|0.0": JSON.stringify({ steps: [delivery.plan] }) };
  const stepsOf = (stepId: string) => stepAnswers(stepId, delivery, never);
  return { ...planned, ...stepsOf("run/implement"), ...stepsOf("*") }; // in a race each candidate has a step of its own
}

function stepAnswers(stepId: string, { wrong, hint, right }: MockDelivery, never: boolean): Record<string, Answer> {
  const coder = `${stepId}|coder|`;
  if (never) return { ...answers(`${coder}*`, wrong), [`${stepId}|reviewer|*.0`]: hint };
  return {
    ...answers(`${coder}0`, wrong),
    [`${stepId}|reviewer|0.0`]: hint,
    ...answers(`${coder}1`, right),
  };
}

/** A specification, a wrong delivery, a repair that makes it right, a closing report. */
function selfHealingScript({ plan, wrong, hint, right }: MockDelivery, never: boolean): Script {
  const debuggers = never ? answers("*|debugger|*", wrong) : answers("run/repair|debugger|0", { ...right, says: hint });
  return {
    "run/design|architect|0.0": JSON.stringify({ specification: plan.instructions }),
    ...answers("run/develop|developer|0", wrong),
    ...debuggers,
    "run/close|reviewer|0.0": never ? wrong.says : right.says,
  };
}

/** Looks at the files, writes them, and says what was done. A delivery without files is a look around. */
function answers(attempt: string, { files, says }: MockDelivery["wrong"]): Record<string, Answer> {
  const written = Object.entries(files);
  if (written.length === 0) {
    return { [`${attempt}.0`]: [{ tool: "list_dir", args: { path: "." } }], [`${attempt}.1`]: says };
  }
  return {
    [`${attempt}.0`]: written.map(([path]) => ({ tool: "read_file", args: { path } })),
    [`${attempt}.1`]: written.map(([path, content]) => ({ tool: "write_file", args: { path, content } })),
    [`${attempt}.2`]: says,
  };
}

/** The scripted model of a task, `mock:<id>`. Throws an {@link InvalidInputError} for a task without a mock. */
export function mockModel(loaded: Pick<LoadedTask, "id" | "mock">, options: MockOptions = {}): ScriptedClient {
  if (loaded.mock === null) {
    throw new InvalidInputError("mock", `the task ${loaded.id} has no mock delivery; give it one or use a real model`);
  }
  return scripted(`mock:${loaded.id}`, mockScript(loaded.mock, options));
}
