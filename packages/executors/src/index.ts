export { LocalExecutor } from "@swarm/core";
export { ProcessExecutor, type ProcessExecutorOptions } from "./process-executor.ts";
