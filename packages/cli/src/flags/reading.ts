import type { Command } from "./flag.ts";
import { ISOLATION_FLAG, JSON_FLAG, LOG_RUNS_FLAG, RUN_ARGUMENT, RUNS_FLAG } from "./shared.ts";

const FILTER_FLAGS = [
  {
    name: "outcome",
    value: "<outcome>",
    default: null,
    multiple: true,
    help: "Only runs that ended like this, such as `verified`, or `unfinished`. May be repeated.",
  },
  {
    name: "signature",
    value: "<text>",
    default: null,
    help: "Only runs whose failure signature has this in it.",
  },
  {
    name: "team",
    value: "<name>",
    default: null,
    help: "Only runs of this team, or with name@version of this version.",
  },
  {
    name: "model",
    value: "<glob>",
    default: null,
    help: "Only runs that called such a model, such as 'anthropic:*'.",
  },
  { name: "task", value: "<glob>", default: null, help: "Only runs of such tasks." },
] as const;

/** The commands that read the logs of runs. */
export const READING = {
  replay: {
    summary: "Run a log again with no key and no network, and say where it comes out otherwise.",
    argument: { name: "<run>", help: `${RUN_ARGUMENT.help.slice(0, -1)} or of a pack.` },
    flags: [
      {
        name: "task",
        value: "<id|path>",
        default: null,
        help: "The task that the log's has to be: of one that was changed since, the change is named.",
      },
      {
        ...ISOLATION_FLAG,
        help: "Bubblewrap for the code that is tried out again: refuse to replay without it, use it where it works, or do without.",
      },
      { ...JSON_FLAG, help: "Print the divergence, or null, as one JSON object on stdout; progress stays on stderr." },
      LOG_RUNS_FLAG,
    ],
  },
  show: {
    summary: "Tell the story of a run, or give its patch, its files, its evidence, or all of it in one file.",
    argument: RUN_ARGUMENT,
    flags: [
      { name: "patch", value: null, default: null, help: "Write the patch to stdout, as git apply takes it." },
      {
        name: "files",
        value: "<dir>",
        default: null,
        help: "Write the files here. The folder has to be empty or not there yet.",
      },
      {
        name: "evidence",
        value: "<dir>",
        default: null,
        help: "Write all that the run has to show here, step by step. The folder has to be empty or not there yet.",
      },
      {
        name: "pack",
        value: null,
        default: null,
        help: "Write the log with every file that it names, without secrets, as one file that swarm replay takes.",
      },
      {
        name: "out",
        value: "<file>",
        default: null,
        help: "Where --pack writes. Nothing may be there yet. Default: <run>.pack.jsonl.gz in the current folder.",
      },
      {
        name: "follow",
        value: null,
        default: null,
        help: "Show a run that is under way as it goes on, or wait for its end and then give what another flag asks for.",
      },
      { ...JSON_FLAG, help: "Print the result as one JSON object on stdout." },
      LOG_RUNS_FLAG,
    ],
  },
  graph: {
    summary: "Draw the path that a run took, as a Mermaid flowchart.",
    argument: RUN_ARGUMENT,
    flags: [
      { ...JSON_FLAG, help: "Print the path, its places and its ways, as one JSON object on stdout." },
      RUNS_FLAG,
    ],
  },
  cost: {
    summary: "Say what a run cost, by role.",
    argument: RUN_ARGUMENT,
    flags: [{ ...JSON_FLAG, help: "Print the cost report as one JSON object on stdout." }, RUNS_FLAG],
  },
  ls: {
    summary: "List runs, the last started first.",
    argument: null,
    flags: [
      ...FILTER_FLAGS,
      {
        name: "sort",
        value: "started|cost|tokens|calls|repairs|task",
        default: "started",
        help: "What comes first: the last started, the dearest, the busiest; or tasks by name.",
      },
      { name: "limit", value: "<n>", default: "20", number: true, help: "Most runs to list; 0 for all." },
      JSON_FLAG,
      RUNS_FLAG,
    ],
  },
  stats: {
    summary: "Say of many runs how they ended, by what they failed and where, and what they cost.",
    argument: null,
    flags: [
      ...FILTER_FLAGS,
      { name: "limit", value: "<n>", default: "10", number: true, help: "Most rows of each table; 0 for all." },
      JSON_FLAG,
      RUNS_FLAG,
    ],
  },
  export: {
    summary: "Give finished runs as data, in the form that you name, one JSON line a row.",
    argument: {
      name: "[<run>…]",
      help: "Which runs, each as for show, or a folder of logs. Default: all of --runs.",
      optional: true,
      many: true,
    },
    flags: [
      {
        name: "format",
        value: "trajectories|sft|preference|recovery|atif|mini-swe-agent|swe-agent|openhands|swe-bench",
        default: null,
        help: "The form of the rows. Required.",
      },
      { name: "out", value: "<file>", default: null, help: "Write the rows to this file, once all are there." },
      {
        name: "card",
        value: "<file>",
        default: null,
        help: "Write a data card: counts of what is in it and what is not.",
      },
      ...FILTER_FLAGS,
      {
        name: "keep-duplicates",
        value: null,
        default: null,
        help: "Give rows of equal content each time. They are given once otherwise.",
      },
      { ...JSON_FLAG, help: "Print the data card as one JSON object on stdout. Needs --out." },
      RUNS_FLAG,
    ],
  },
} as const satisfies Record<string, Command>;
