import { defineProgram } from "@swarm/core";
import { z } from "zod";
import { runAgent } from "../agent-loop.ts";
import { fileList, material } from "../material.ts";
import { refusal } from "../structured.ts";

/** Words of a report, its warning included. */
const MOST_WORDS = 149;

/** The reviewer writes the closing report. What it has to say of the tests stands before it, in words of ours. */
export const close = defineProgram({
  name: "close",
  input: z.strictObject({
    specification: z.string(),
    /** How the tests ended, and the warning that goes with it. */
    ending: z.string(),
    diagnoses: z.array(z.string()),
    failure: z.string().nullable(),
    maxCalls: z.int().positive(),
    windowTurns: z.int().positive(),
  }),
  output: z.strictObject({ report: z.string() }),
  async attempt(context, { specification, ending, diagnoses, failure, maxCalls, windowTurns }) {
    const prompt = [
      material("task", context.task.prompt),
      material("specification", specification),
      await fileList(context.files),
      ...diagnoses.map((diagnosis, index) => material("diagnosis", diagnosis, `repair ${index + 1}`)),
      ...(failure === null ? [] : [material("failure", failure)]),
      `${ending} Write the closing report.`,
    ].join("\n\n");
    const result = await runAgent(context.role("reviewer"), prompt, { maxCalls, windowTurns, mustAct: false });
    if (result.end === "refused") return context.fail(refusal(result));
    return context.done({ report: bounded(`${ending} ${result.text.trim()}`) });
  },
});

function bounded(text: string): string {
  const words = text.trim().split(/(?<=\s)(?=\S)/);
  return words.length <= MOST_WORDS ? text.trim() : `${words.slice(0, MOST_WORDS).join("").trimEnd()}…`;
}
