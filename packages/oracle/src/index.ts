export { type CleanRoomOptions, cleanRoomOracle } from "./clean-room-oracle.ts";
export { failureText } from "./failure-text.ts";
export { PROTECTED_PATHS, type ProtectedPath } from "./protected-paths.ts";
export type { Discovery, RunnerAdapter, RunnerOptions, RunnerProcess, RunnerRun } from "./runners/adapter.ts";
export { builtInRunners } from "./runners/registry.ts";
export type { HostModules } from "./runners/script-runner.ts";
export { type OracleSettings, OracleSettingsSchema } from "./settings.ts";
export { type CountingTestRunner, type TestRunnerOptions, testRunner } from "./test-runner.ts";
export type { WarmCounts } from "./warm-runs.ts";
