export { LocalExecutor } from "@swarm/core";
export { type HttpExecutorOptions, httpExecutor } from "./http-executor.ts";
export { ProcessExecutor, type ProcessExecutorOptions } from "./process-executor.ts";
export type { Carrier } from "./remote/carrier.ts";
export { type Delivery, DeliverySchema } from "./remote/delivery.ts";
export type { GateOptions } from "./remote/gate.ts";
export { RemoteExecutor, type RemoteOptions } from "./remote/remote-executor.ts";
export {
  createWorker,
  type KnownTeam,
  type Worker,
  type WorkerAbilities,
  type WorkerOptions,
} from "./worker/create-worker.ts";
export { type ListeningWorker, type ListenOptions, listen } from "./worker/listen.ts";
