export type { Bounds, IsolationChoice } from "./isolation/choose-tier.ts";
export type { Limits } from "./isolation/limits.ts";
export type { RuntimePolicy, SandboxManager } from "./isolation/sandbox-runtime.ts";
export { type LocalSandbox, type LocalSandboxOptions, localSandbox } from "./local-sandbox.ts";
export { blobSnapshots } from "./snapshots/blob-snapshots.ts";
export { collectGarbage, type Garbage, type GarbageOptions } from "./snapshots/collect-garbage.ts";
export { directoryBlobs } from "./snapshots/directory-blobs.ts";
export { IGNORED, isIgnored } from "./snapshots/ignored.ts";
