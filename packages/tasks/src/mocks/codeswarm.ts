import type { Answer, Script } from "@swarm/core/testing";
import type { MockDelivery } from "../read-task-file.ts";
import { deliver } from "./deliver.ts";
import { suiteDraft } from "./suite-draft.ts";

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

function stepAnswers(stepId: string, delivery: MockDelivery): Record<string, Answer> {
  const { wrong, hint, right, story } = delivery;
  const coder = `${stepId}|coder|`;
  if (story === "never") return { ...deliver(`${coder}*`, delivery, wrong), [`${stepId}|reviewer|*.0`]: hint };
  return {
    ...deliver(`${coder}0`, delivery, wrong),
    [`${stepId}|reviewer|0.0`]: hint,
    ...deliver(`${coder}1`, delivery, right),
  };
}
