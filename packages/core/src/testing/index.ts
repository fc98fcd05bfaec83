export { assertReplays } from "./assert-replays.ts";
export { assertSoundRun } from "./assert-sound-run.ts";
export {
  assertEqualRuns,
  type ConformanceCase,
  type DisturbedWorkers,
  type ExecutorConformance,
  executorConformance,
} from "./executor-conformance.ts";
export { type FakeClock, fakeClock } from "./fake-clock.ts";
export { folderBlobs, type MemoryCommand, memoryBlobs, memorySandbox } from "./memory-sandbox.ts";
export {
  type Answer,
  type Script,
  type ScriptedCall,
  type ScriptedClient,
  type ScriptedOptions,
  scripted,
} from "./scripted.ts";
export { type ScriptedExecutor, scriptedExecutor } from "./scripted-executor.ts";
export { conformanceTask, conformanceTeam } from "./team.ts";
