import { messageOf, NotFoundError, PathError, type Tool } from "@swarm/core";
import { z } from "zod";
import { WordsSchema } from "../material.ts";

/** What a coder hands over its work with. */
export type Finish = {
  /** What was built, and what is still open. */
  explanation: string;
  /** What was done, step by step. */
  plan: string;
  /** The file to start with. */
  entryPoint: string;
};

export const FinishSchema = z.strictObject({
  explanation: WordsSchema.describe("What you built, in a few sentences, and anything that is still open."),
  plan: WordsSchema.describe("What you did, step by step, one line a step."),
  entryPoint: z.string().describe("The file to start with, to run or to import, such as app.py or src/index.js."),
});

/** The tool that ends a coder's work. It takes no word for it that there is a file to start with. */
export const finish: Tool<Finish> = {
  name: "finish",
  description:
    "Ends your work. Call it, alone, once all of the task is done and you have run what you wrote without a failure; nothing can be added afterwards.",
  input: FinishSchema,
  effect: "none",
  idempotent: true,
  async call({ entryPoint }, { workspace }) {
    try {
      await workspace.read(entryPoint);
      return { ok: true, output: "Your work is ended." };
    } catch (error) {
      if (!(error instanceof NotFoundError || error instanceof PathError)) throw error;
      return { ok: false, output: `Not ended: entryPoint has to name a file of the workspace. ${messageOf(error)}` };
    }
  },
};
