import type { Files } from "@swarm/core";
import { givenTo, type MockDelivery } from "./read-task-file.ts";
import type { SetTask } from "./read-task-set.ts";

/**
 * What a scripted model delivers for a task of a set: first the starter as it is, after a hint the solution. So a failure, a
 * recovery and a pass are in the run of each. Null where a file is no text, which models do not write.
 */
export function solutionMock({ task, solution }: Pick<SetTask, "task" | "solution">): MockDelivery | null {
  const starter = "files" in task.source ? task.source.files : {};
  const untouched = Object.fromEntries(Object.entries(starter).filter(([path]) => path in solution));
  if (!areTexts(untouched) || !areTexts(solution)) return null;
  return {
    plan: { title: "Solve the task", instructions: "Change the files so that all tests pass." },
    wrong: { files: untouched, says: "The files are right as they are." },
    hint: "Nothing was changed, and the tests fail. Make the change that the task asks for.",
    right: { files: solution, says: "The files do what the task asks for now." },
    ...givenTo(task),
  };
}

function areTexts(files: Files): files is Record<string, string> {
  return Object.values(files).every((content) => typeof content === "string");
}
