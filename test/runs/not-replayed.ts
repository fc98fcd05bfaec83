/** The tests whose runs a replay cannot make again from what the test was run with, each with its reason. `file` is how its path begins. */
export const NOT_REPLAYED: readonly { file: string; name: string; why: string }[] = [
  {
    file: "packages/core/src/engine/start-run.test.ts",
    name: "a custom executor decides where and how steps run",
    why: "its executor answers for a step without running its program, and a replay runs programs",
  },
  {
    file: "packages/agents/src/dev-team/dev-team.test.ts",
    name: "that a worker puts into an outbox is checked like any other",
    why: "its executor changes what a program gave, and a replay runs programs",
  },
  {
    file: "packages/cli/test/resume.test.ts",
    name: "needs no key for a verdict that is there",
    why: "its log names a model that never was asked, so its requests are not what they say",
  },
  {
    file: "packages/cli/test/gc.test.ts",
    name: "keeps what the runs that have a log need",
    why: "it takes away the log, and then what only that log needed",
  },
  {
    file: "test/mock-runs/",
    name: "a mock run that crashes",
    why: "the files of a resumed run are gone by then; it is held against a whole one, which is replayed there",
  },
];
