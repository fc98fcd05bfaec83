import type { Script } from "@swarm/core/testing";
import type { MockDelivery } from "../read-task-file.ts";
import { deliver } from "./deliver.ts";
import { suiteDraft } from "./suite-draft.ts";

/** A specification, with tests where the task brings none, a wrong delivery, a repair that makes it right, a closing report. */
export function selfHealingScript(delivery: MockDelivery): Script {
  const { plan, wrong, hint, right, story } = delivery;
  const suite = suiteDraft(delivery);
  const repairs =
    story === "never"
      ? deliver("*|debugger|*", delivery, wrong)
      : deliver("run/repair|debugger|0", delivery, { ...right, says: hint });
  return {
    "run/design|architect|0.0": JSON.stringify({ specification: plan.instructions, ...(suite ? { suite } : {}) }),
    ...deliver("run/develop|developer|0", delivery, wrong),
    ...repairs,
    "run/close|reviewer|0.0": story === "never" ? wrong.says : right.says,
  };
}
