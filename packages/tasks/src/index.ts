export { chaosModel } from "./chaos-model.ts";
export { builtinDemos, builtinRequests, builtinTasks, loadRequest, loadTask } from "./load-task.ts";
export { type MockOptions, mockModel, mockScript } from "./mock-model.ts";
export type { DemoEntry, LoadedTask, MockDelivery, TaskEntry } from "./read-task-file.ts";
export { readTaskSet, type SetTask } from "./read-task-set.ts";
export { readTasks } from "./read-tasks.ts";
export { solutionMock } from "./solution-mock.ts";
export {
  FAILURE_MODES,
  type FailureMode,
  type MockFile,
  type MockPart,
  type NamedFiles,
  STORIES,
  type Story,
  type TaskFile,
  TaskFileSchema,
} from "./task-file.ts";
