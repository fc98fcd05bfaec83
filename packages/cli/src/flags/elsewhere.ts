/** What brings steps to workers. */
export const PLATFORMS = ["http", "bullmq", "restate"] as const;
/** Where steps run. */
export const EXECUTORS = ["local", "process", ...PLATFORMS] as const;

/** What machines share that work for the same runs. */
export const SHARED_FLAGS = [
  {
    name: "shared",
    value: "<dir|s3://bucket/prefix>",
    default: null,
    help: "Stored files that runs and workers on several machines share: a folder, or a bucket of S3. Default: the setting SWARM_SHARED, else none.",
  },
  {
    name: "s3-endpoint",
    value: "<url>",
    default: null,
    help: "What speaks like S3, where it is not AWS. Default: the environment's AWS_ENDPOINT_URL_S3.",
  },
  {
    name: "s3-region",
    value: "<name>",
    default: null,
    help: "The bucket's region. Default: the environment's AWS_REGION.",
  },
] as const;

/** Where the steps of a run are performed. */
export const EXECUTOR_FLAGS = [
  {
    name: "executor",
    value: EXECUTORS.join("|") as "local|process|http|bullmq|restate",
    default: "local",
    help: "Where steps run: here, in processes of their own, or on workers (`swarm worker`) that are brought them by HTTP, a queue on Redis, or Restate.",
  },
  {
    name: "executor-url",
    value: "<url>",
    default: null,
    multiple: true,
    help: "The workers (http; may be repeated), Redis (bullmq), or Restate's ingress (restate). Default: where each is on this machine.",
  },
  {
    name: "gate",
    value: "<host:port>",
    default: null,
    help: "Where workers reach this process. Default: the setting SWARM_GATE, else 127.0.0.1 and a free port.",
  },
  {
    name: "gate-url",
    value: "<url>",
    default: null,
    help: "The address of that for workers, where it is another one, such as a proxy's. Default: the setting SWARM_GATE_URL.",
  },
  ...SHARED_FLAGS,
] as const;
