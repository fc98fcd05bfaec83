import { DEFAULT_TEAM, TEAM_NAMES } from "../teams/names.ts";
import { EXECUTOR_FLAGS, SHARED_FLAGS } from "./elsewhere.ts";
import type { Command } from "./flag.ts";
import { ISOLATION_FLAG, JSON_FLAG, LOG_RUNS_FLAG, RUN_ARGUMENT, RUNS_FLAG } from "./shared.ts";

const JSON_RESULT_FLAG = {
  ...JSON_FLAG,
  help: "Print the result as one JSON object on stdout; progress stays on stderr.",
} as const;

const OUT_FLAG = {
  name: "out",
  value: "<dir>",
  default: null,
  help: "Write the files here in the end. The folder has to be empty or not there yet.",
} as const;

const UNPRICED_FLAG = {
  name: "allow-unpriced",
  value: null,
  default: null,
  help: "Let --max-usd go with models whose price is not known: what they cost is not counted.",
} as const;

const SAME_WORKSPACE_FLAG = {
  name: "workspace",
  value: "<dir>",
  default: null,
  help: "The folder that the run was started for: what passes is written to it only if it is named again.",
} as const;

const LOG_FLAG = {
  name: "log",
  value: "progress|json",
  default: "progress",
  help: "What stderr shows of the run: progress for a person, or a JSON line for each thing that happened.",
} as const;

const TEAM_FLAG = {
  name: "team",
  value: TEAM_NAMES.join("|"),
  default: DEFAULT_TEAM,
  help: "The team that does the work.",
} as const;

const MOCK_FLAG = {
  name: "mock",
  value: null,
  default: null,
  help: "Answer with the task's scripted model: no key, no network, no cost.",
} as const;

const MODEL_FLAG = {
  name: "model",
  value: "[role=]<provider>:<model>",
  default: null,
  multiple: true,
  help: "The model of one role, or of every role that no other --model names; its fallbacks behind commas. May be repeated. Default: the settings'.",
} as const;

const ITERATIONS_FLAG = {
  name: "max-iterations",
  value: "<1-10>",
  default: null,
  number: true,
  help: "Most model calls of the coder in one attempt at its work. Default: the setting CODER_MAX_ITERATIONS.",
} as const;

const QA_ITERATIONS_FLAG = {
  name: "qa-max-iterations",
  value: "<1-5>",
  default: null,
  number: true,
  help: "Most test runs of QA for one task. Default: the setting QA_MAX_ITERATIONS.",
} as const;

const DEBUG_ITERATIONS_FLAG = {
  name: "max-debug-iterations",
  value: "<0-10>",
  default: null,
  number: true,
  help: "Most repairs by the debugger. Default: the setting MAX_DEBUG_ITERATIONS.",
} as const;

const EXEC_TIMEOUT_FLAG = {
  name: "exec-timeout",
  value: "<1-120>",
  default: null,
  number: true,
  help: "Seconds of a model's command that asks for no other time. Default: the setting EXEC_TIMEOUT_SECONDS.",
} as const;

/** Each for the teams that take it. */
const TEAM_FLAGS = [ITERATIONS_FLAG, QA_ITERATIONS_FLAG, DEBUG_ITERATIONS_FLAG, EXEC_TIMEOUT_FLAG] as const;

/** What bounds a run, or each of several. */
const limitFlags = (run: "the run" | "each run") =>
  [
    { name: "max-calls", value: "<n>", default: null, number: true, help: `Most model calls of ${run}.` },
    {
      name: "max-tokens",
      value: "<n>",
      default: null,
      number: true,
      help: `Most tokens of ${run}, input and output together.`,
    },
    {
      name: "max-usd",
      value: "<n>",
      default: null,
      number: true,
      help: `Most US dollars of ${run}. Needs models whose price is known.`,
    },
    { name: "timeout", value: "<seconds>", default: null, number: true, help: `Most wall time of ${run}.` },
  ] as const;

/** Of a run that goes on from a log. */
const GOING_ON_FLAGS = [
  JSON_RESULT_FLAG,
  OUT_FLAG,
  SAME_WORKSPACE_FLAG,
  ISOLATION_FLAG,
  ...EXECUTOR_FLAGS,
  ...limitFlags("the run"),
  LOG_FLAG,
  LOG_RUNS_FLAG,
] as const;

/** The commands that let a team work. */
export const RUNNING = {
  run: {
    summary: "Let a team solve a task until its tests say that it is solved.",
    argument: {
      name: "[<task>]",
      help: "The task: as for --task, or in words what is to be built, in quotes. The team writes the tests then.",
      optional: true,
    },
    flags: [
      {
        name: "task",
        value: "<id|path>",
        default: null,
        help: "The task: the id of a built-in one, or the path of a task file (.json).",
      },
      TEAM_FLAG,
      MOCK_FLAG,
      MODEL_FLAG,
      {
        name: "race",
        value: "<n>",
        default: "1",
        number: true,
        help: "Candidates, up to 5, that work on each step at once: the first whose tests pass wins, and the others are cut off.",
      },
      ...TEAM_FLAGS,
      {
        name: "reset-memory",
        value: null,
        default: null,
        help: "Forget what earlier runs of this project did, before the run. Without a task, do only that.",
      },
      JSON_RESULT_FLAG,
      OUT_FLAG,
      {
        name: "workspace",
        value: "<dir>",
        default: null,
        help: "Work for this folder: its files come first, before the task's starter files, and what passed is written to it.",
      },
      ISOLATION_FLAG,
      ...EXECUTOR_FLAGS,
      ...limitFlags("the run"),
      UNPRICED_FLAG,
      LOG_FLAG,
      RUNS_FLAG,
    ],
  },
  resume: {
    summary: "Go on with a run that was cut short, from its log.",
    argument: RUN_ARGUMENT,
    flags: [...GOING_ON_FLAGS],
  },
  fork: {
    summary: "Go on from any event of a run as a new run, with something changed.",
    argument: RUN_ARGUMENT,
    flags: [
      {
        name: "at",
        value: "<n>",
        default: null,
        number: true,
        help: "The last event that the new run shares, by its number in `swarm show <run>`; any before the verdict. Required.",
      },
      {
        name: "hint",
        value: "<text>",
        default: null,
        help: "What each attempt from there on is told, once, where its next model is asked.",
      },
      {
        ...MODEL_FLAG,
        help: "The model of one role, or of every role that no other --model names; its fallbacks behind commas. May be repeated. Default: the run's.",
      },
      {
        name: "effort",
        value: "[role=]low|medium|high",
        default: null,
        multiple: true,
        help: "The reasoning effort, likewise. Default: the run's.",
      },
      {
        name: "run-id",
        value: "<id>",
        default: null,
        help: "The id of the new run. Default: one that is made up.",
      },
      ...GOING_ON_FLAGS,
      UNPRICED_FLAG,
    ],
  },
  batch: {
    summary: "Run many tasks, many times, and say how many pass, what it costs and what goes wrong.",
    argument: null,
    flags: [
      {
        name: "tasks",
        value: "<all|glob|path>",
        default: null,
        help: "The tasks: all built-in ones, those whose id fits a glob, a set (.jsonl), a task file (.json), or a folder of task files. Required.",
      },
      { name: "repeat", value: "<n>", default: "1", number: true, help: "Runs of each task." },
      { name: "concurrency", value: "<n>", default: "2", number: true, help: "Runs that are under way at once." },
      TEAM_FLAG,
      {
        ...MOCK_FLAG,
        help: "Answer with each task's scripted model; for a task of a set, the starter as it is, and then its solution.",
      },
      MODEL_FLAG,
      ...TEAM_FLAGS,
      {
        name: "budget-usd",
        value: "<n>",
        default: null,
        number: true,
        help: "US dollars of the whole batch: no call to a model is made that could go beyond them. Its run is cut off, for --resume to go on with.",
      },
      {
        name: "rate",
        value: "<provider>=<n>",
        default: null,
        multiple: true,
        help: "Most requests a minute to a provider, by all runs together. May be repeated. Default: no limit.",
      },
      {
        name: "token-rate",
        value: "<provider>=<n>",
        default: null,
        multiple: true,
        help: "Most tokens a minute to and from a provider, likewise.",
      },
      {
        name: "team-concurrency",
        value: "<n>",
        default: null,
        number: true,
        help: "Steps of the team that are under way at once, on all workers together. Default: no limit.",
      },
      ...limitFlags("each run"),
      {
        ...UNPRICED_FLAG,
        help: "Let --budget-usd and --max-usd go with models whose price is not known: what they cost is not counted.",
      },
      {
        ...ISOLATION_FLAG,
        default: "required",
        help: "Bubblewrap for the code that is tried out: refuse to begin without it, use it where it works, or do without.",
      },
      ...EXECUTOR_FLAGS,
      {
        name: "fail-under",
        value: "<rate>",
        default: null,
        number: true,
        help: "Exit with 1 where fewer of the runs pass than this share of them, from 0 to 1.",
      },
      {
        name: "batch",
        value: "<id>",
        default: null,
        help: "The batch's id: names its folder in that of the logs, and begins the ids of its runs. Default: one made of the time.",
      },
      {
        name: "resume",
        value: null,
        default: null,
        help: "Go on with the batch that --batch names: what came to its end is not run again.",
      },
      { ...JSON_FLAG, help: "Print the report as one JSON object on stdout; progress stays on stderr." },
      RUNS_FLAG,
    ],
  },
  up: {
    summary: "Start a server and workers on this machine, to try steps elsewhere, until a signal ends them.",
    argument: null,
    flags: [
      {
        name: "executor",
        value: "restate|bullmq",
        default: "restate",
        help: "What brings steps to the workers: a Restate server, or a queue on Redis.",
      },
      { name: "workers", value: "<n>", default: "2", number: true, help: "Worker processes." },
      { name: "concurrency", value: "<n>", default: "1", number: true, help: "Steps that each performs at once." },
      {
        name: "port",
        value: "<n>",
        default: null,
        number: true,
        help: "Port of Restate's ingress, or of Redis. Default: 8080, or 6379, where it is free, else another one.",
      },
      ISOLATION_FLAG,
      { ...JSON_FLAG, help: "Print the addresses as one JSON object in one line on stdout, once all is ready." },
      RUNS_FLAG,
    ],
  },
  worker: {
    summary: "Perform steps of runs that other processes drive, until a signal ends it.",
    argument: null,
    flags: [
      {
        name: "by",
        value: "http|bullmq|restate",
        default: "http",
        help: "What brings steps to it: HTTP requests, a queue on Redis, or a Restate server.",
      },
      {
        name: "listen",
        value: "<host:port>",
        default: null,
        help: "Where it listens. Others than this machine may reach it only with a token, or for Restate a key. Default: 127.0.0.1:7117; for Restate 127.0.0.1:9080.",
      },
      {
        name: "redis",
        value: "<url>",
        default: "redis://127.0.0.1:6379",
        help: "The Redis of --by bullmq.",
      },
      {
        name: "identity-key",
        value: "<key>",
        default: null,
        multiple: true,
        help: "The public key of a Restate environment that may give it steps, publickeyv1_…; may be repeated.",
      },
      { name: "concurrency", value: "<n>", default: "1", number: true, help: "Steps that it performs at once." },
      ...SHARED_FLAGS,
      { ...ISOLATION_FLAG, default: "required" },
      { ...JSON_FLAG, help: "Print what it is and can run as one JSON object on stdout, once it is ready." },
      RUNS_FLAG,
    ],
  },
} as const satisfies Record<string, Command>;
