import type { Suite } from "@swarm/core";

/** Stands for the suite of a task that never got one, so that no verdict passes over the task: nothing can pass it. */
export function unbuilt(taskId: string): Suite {
  const content = `import { test } from "node:test";

test("${taskId} is built and tested", () => {
  throw new Error("the task ${taskId} has no tests");
});
`;
  return {
    id: taskId,
    author: "qa",
    runner: "node:test",
    files: { [`tests/qa_${taskId.toLowerCase()}.test.mjs`]: content },
  };
}
