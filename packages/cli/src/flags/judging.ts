import type { Command } from "./flag.ts";
import { ISOLATION_FLAG, JSON_FLAG, LOG_RUNS_FLAG, RUN_ARGUMENT } from "./shared.ts";

/** The commands that judge work, or a judge of it. */
export const JUDGING = {
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
        ...ISOLATION_FLAG,
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
        ...LOG_RUNS_FLAG,
        help: "Folder of the logs, for --log. Default: runs; for the path of a log, the folder that it is in.",
      },
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
        ...ISOLATION_FLAG,
        default: "required",
        help: "As for run. The cases are hostile code: do without only where nothing can be lost.",
      },
      JSON_FLAG,
    ],
  },
} as const satisfies Record<string, Command>;
