import type { Answer, Script } from "@swarm/core/testing";
import type { MockDelivery } from "../read-task-file.ts";
import { deliver, suiteDraft } from "./deliver.ts";

/** Tests where the task brings none, a plan of one step, a wrong delivery, a hint from the reviewer, the right delivery. */
export function codeswarmScript(delivery: MockDelivery): Script {
  const suite = suiteDraft(delivery);
  return {
    ...(suite ? { "run/write-tests|tester|0.0": JSON.stringify(suite) } : {}),
    "run/plan|planner|0.0": JSON.stringify({ steps: [delivery.plan] }),
    ...stepAnswers("run/implement", delivery),
    ...stepAnswers("*", delivery), // in a race each candidate has a step of its own
  };
}

/** Each attempt begins from the files before it. */
function stepAnswers(stepId: string, { wrong, hint, right, suite, story }: MockDelivery): Record<string, Answer> {
  const coder = (attempt: string, delivered: MockDelivery["wrong"]) =>
    deliver(`${stepId}|coder|${attempt}`, delivered, suite !== undefined);
  if (story === "never") return { ...coder("*", wrong), [`${stepId}|reviewer|*.0`]: hint };
  return { ...coder("0", wrong), [`${stepId}|reviewer|0.0`]: hint, ...coder("1", right) };
}
