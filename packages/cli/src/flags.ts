import { DEFAULT_TEAM, TEAM_NAMES } from "./teams/names.ts";

/** One flag of a command: what parsing, `--help` and the documentation are made from. */
export type Flag = {
  name: string;
  /** What stands for the value in help; null for a switch. */
  value: string | null;
  /** Taken when the flag is left out; null where there is no value then. */
  default: string | null;
  /** May be given several times. */
  multiple?: true;
  /** Its value is a number: one that begins with a minus is a value too, and no flag. */
  number?: true;
  help: string;
};
/** What a command is about, besides its flags: needed and one, or none too, or with `many` as many as there are. */
export type Argument = { name: string; help: string; optional?: true; many?: true };
export type Command = { summary: string; argument: Argument | null; flags: readonly Flag[] };

const JSON_FLAG = {
  name: "json",
  value: null,
  default: null,
  help: "Print JSON, and nothing else, on stdout.",
} as const;
const RUNS_FLAG = {
  name: "runs",
  value: "<dir>",
  default: "runs",
  help: "Folder of the logs and of all that belongs to them.",
} as const;
const RUN_ARGUMENT = {
  name: "<run>",
  help: "The run's id, the beginning of one that fits no other, `latest`, or the path of a log.",
} as const;

const LOG_RUNS_FLAG = {
  ...RUNS_FLAG,
  default: null,
  help: "Folder of the logs and of all that belongs to them. Default: runs; for the path of a log, the folder that it is in.",
} as const;
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
const ISOLATION_FLAG = {
  name: "isolation",
  value: "required|preferred|none",
  default: "preferred",
  help: "Bubblewrap for the code that is tried out: refuse to run without it, use it where it works, or do without.",
} as const;
const CALLS_FLAG = {
  name: "max-calls",
  value: "<n>",
  default: null,
  number: true,
  help: "Most model calls of the run.",
} as const;
const TOKENS_FLAG = {
  name: "max-tokens",
  value: "<n>",
  default: null,
  number: true,
  help: "Most tokens of the run, input and output together.",
} as const;
const USD_FLAG = {
  name: "max-usd",
  value: "<n>",
  default: null,
  number: true,
  help: "Most US dollars of the run. Needs models whose price is known.",
} as const;
const UNPRICED_FLAG = {
  name: "allow-unpriced",
  value: null,
  default: null,
  help: "Let --max-usd go with models whose price is not known: what they cost is not counted.",
} as const;
const TIMEOUT_FLAG = {
  name: "timeout",
  value: "<seconds>",
  default: null,
  number: true,
  help: "Most wall time of the run.",
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
const MOCK_FLAG = {
  name: "mock",
  value: null,
  default: null,
  help: "Answer with the task's scripted model: no key, no network, no cost.",
} as const;
const TEAM_FLAG = {
  name: "team",
  value: TEAM_NAMES.join("|"),
  default: DEFAULT_TEAM,
  help: "The team that does the work.",
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
const MODEL_FLAG = {
  name: "model",
  value: "[role=]<provider>:<model>",
  default: null,
  multiple: true,
  help: "The model of one role, or of every role that no other --model names. May be repeated. Default: the settings'.",
} as const;

/** Every command with every flag. */
export const COMMANDS = {
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
      ITERATIONS_FLAG,
      QA_ITERATIONS_FLAG,
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
      CALLS_FLAG,
      TOKENS_FLAG,
      USD_FLAG,
      UNPRICED_FLAG,
      TIMEOUT_FLAG,
      LOG_FLAG,
      RUNS_FLAG,
    ],
  },
  resume: {
    summary: "Go on with a run that was cut short, from its log.",
    argument: RUN_ARGUMENT,
    flags: [
      JSON_RESULT_FLAG,
      OUT_FLAG,
      SAME_WORKSPACE_FLAG,
      ISOLATION_FLAG,
      CALLS_FLAG,
      TOKENS_FLAG,
      USD_FLAG,
      TIMEOUT_FLAG,
      LOG_FLAG,
      LOG_RUNS_FLAG,
    ],
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
        help: "The model of one role, or of every role that no other --model names. May be repeated. Default: the run's.",
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
      JSON_RESULT_FLAG,
      OUT_FLAG,
      SAME_WORKSPACE_FLAG,
      ISOLATION_FLAG,
      CALLS_FLAG,
      TOKENS_FLAG,
      USD_FLAG,
      UNPRICED_FLAG,
      TIMEOUT_FLAG,
      LOG_FLAG,
      LOG_RUNS_FLAG,
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
      ITERATIONS_FLAG,
      QA_ITERATIONS_FLAG,
      {
        name: "budget-usd",
        value: "<n>",
        default: null,
        number: true,
        help: "US dollars of the whole batch: once they are spent no run begins, and those under way come to their end.",
      },
      { ...CALLS_FLAG, help: "Most model calls of each run." },
      { ...TOKENS_FLAG, help: "Most tokens of each run, input and output together." },
      { ...USD_FLAG, help: "Most US dollars of each run. Needs models whose price is known." },
      {
        name: "allow-unpriced",
        value: null,
        default: null,
        help: "Let --budget-usd and --max-usd go with models whose price is not known: what they cost is not counted.",
      },
      { ...TIMEOUT_FLAG, help: "Most wall time of each run." },
      {
        ...ISOLATION_FLAG,
        default: "required",
        help: "Bubblewrap for the code that is tried out: refuse to begin without it, use it where it works, or do without.",
      },
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
  tasks: { summary: "List the built-in tasks and the demos.", argument: null, flags: [JSON_FLAG] },
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
  verify: {
    summary: "Judge anyone's work by tests alone, or a finished run again from its log.",
    argument: null,
    flags: [
      {
        name: "task",
        value: "<id|path>",
        default: null,
        help: "The task: the id of a built-in one, or the path of a task file (.json).",
      },
      {
        name: "repository",
        value: "<dir>",
        default: null,
        help: "Root of the git repository of --base and --commit. Default: the task's, else the current folder.",
      },
      {
        name: "base",
        value: "<revision>",
        default: null,
        help: "Without a task: the revision that the work began from.",
      },
      { name: "runner", value: "<name>", default: null, help: "What runs the tests, such as pytest or node:test." },
      {
        name: "command",
        value: "<command>",
        default: null,
        help: "In its place: a shell command that prints a report, or writes it to {report}. Once for each test file with {entry}.",
      },
      { name: "format", value: "junit|tap|ctrf", default: null, help: "The form of the command's report." },
      {
        name: "tests",
        value: "<path>",
        default: null,
        multiple: true,
        help: "A file or folder of tests. May be repeated. Default: the files that are named as the runner names tests.",
      },
      {
        name: "tests-from",
        value: "<revision>",
        default: null,
        help: "The revision that the tests are taken from. Default: that of --base.",
      },
      { name: "directory", value: "<dir>", default: null, help: "The work: a folder with all files after it." },
      { name: "patch", value: "<file>", default: null, help: "The work: a patch, as git apply takes it." },
      { name: "commit", value: "<revision>", default: null, help: "The work: a revision of the repository." },
      {
        name: "log",
        value: "<run>",
        default: null,
        help: `In place of all these: a finished run. ${RUN_ARGUMENT.help}`,
      },
      {
        name: "isolation",
        value: "required|preferred|none",
        default: "preferred",
        help: "Bubblewrap for the code that is judged: refuse to judge without it, use it where it works, or do without.",
      },
      {
        name: "timeout",
        value: "<seconds>",
        default: null,
        number: true,
        help: "Time for the tests of one suite. Default: the task's, else 60.",
      },
      { ...JSON_FLAG, help: "Print the verdict as one JSON object on stdout; progress stays on stderr." },
      {
        ...RUNS_FLAG,
        default: null,
        help: "Folder of the logs, for --log. Default: runs; for the path of a log, the folder that it is in.",
      },
    ],
  },
  gc: {
    summary: "Remove the stored files that no run needs any more.",
    argument: null,
    flags: [
      { name: "dry-run", value: null, default: null, help: "Remove nothing, and say what would be removed." },
      JSON_FLAG,
      RUNS_FLAG,
    ],
  },
  gauntlet: {
    summary: "Try a judge of patches on honest work and on cheats, and say what it lets through.",
    argument: null,
    flags: [
      {
        name: "judge",
        value: "swarm|exit-code|junit-file|summary",
        default: "swarm",
        help: "The oracle, or one that trusts what the project's own test command leaves: its exit code, its JUnit file, its last summary.",
      },
      { name: "only", value: "<text>", default: null, help: "Only the cases whose id has this in it." },
      {
        name: "isolation",
        value: "required|preferred|none",
        default: "required",
        help: "As for run. The cases are hostile code: do without only where nothing can be lost.",
      },
      JSON_FLAG,
    ],
  },
  doctor: {
    summary: "Say what is installed, what is missing, and what that costs.",
    argument: null,
    flags: [JSON_FLAG, RUNS_FLAG],
  },
} as const satisfies Record<string, Command>;

export type CommandName = keyof typeof COMMANDS;
export const COMMAND_NAMES = Object.keys(COMMANDS) as CommandName[];

/** What the flags of a command were set to. */
export type OptionsOf<C extends CommandName> = {
  [F in (typeof COMMANDS)[C]["flags"][number] as F["name"]]: ValueOf<F>;
};
type ValueOf<F extends Flag> = F["value"] extends null
  ? boolean
  : F extends { multiple: true }
    ? string[]
    : F["default"] extends string
      ? string
      : string | undefined;
