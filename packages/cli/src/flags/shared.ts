export const JSON_FLAG = {
  name: "json",
  value: null,
  default: null,
  help: "Print JSON, and nothing else, on stdout.",
} as const;

export const RUNS_FLAG = {
  name: "runs",
  value: "<dir>",
  default: "runs",
  help: "Folder of the logs and of all that belongs to them.",
} as const;

export const LOG_RUNS_FLAG = {
  ...RUNS_FLAG,
  default: null,
  help: "Folder of the logs and of all that belongs to them. Default: runs; for the path of a log, the folder that it is in.",
} as const;

export const RUN_ARGUMENT = {
  name: "<run>",
  help: "The run's id, the beginning of one that fits no other, `latest`, or the path of a log.",
} as const;

export const ISOLATION_FLAG = {
  name: "isolation",
  value: "required|preferred|none",
  default: "preferred",
  help: "Bubblewrap for the code that is tried out: refuse to run without it, use it where it works, or do without.",
} as const;
