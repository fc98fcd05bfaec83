import { z } from "zod";
import { faultOf } from "./fault.ts";
import { defineProgram } from "./program.ts";
import type { Task, TaskView } from "./task.ts";
import type { Tool } from "./tool.ts";

declare const task: Task;
// @ts-expect-error hidden tests do not type-check where a worker looks
export const view: TaskView = task;

export const program = defineProgram({
  name: "typed",
  input: z.strictObject({ n: z.number() }),
  output: z.strictObject({ s: z.enum(["a", "b"]) }),
  async attempt(context, { n }) {
    if (n > 1) return context.fail(faultOf({ code: "X", message: "" }));
    // @ts-expect-error the output has to fit its schema
    context.done({ s: "c" });
    return context.done({ s: "a" });
  },
});

defineProgram({
  name: "default",
  // @ts-expect-error a schema with a default has another input than output
  input: z.strictObject({ n: z.number().default(1) }),
  output: z.strictObject({}),
  attempt: async (context) => context.done({}),
});

declare const read: Tool<{ path: string }>;
// @ts-expect-error a tool's input is its own
read.call({ file: "x" }, undefined as never);
