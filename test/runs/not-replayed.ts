/** The tests whose logs a replay cannot make again from what the test was run with, each with its reason. */
export const NOT_REPLAYED: readonly { tests: string; why: string }[] = [
  {
    tests: "packages/core/src/engine/start-run.test.ts > a custom executor decides",
    why: "its executor answers for a step without running its program, and a replay runs programs",
  },
  {
    tests: "test/crash.test.ts > a mock run",
    why: "the files of a resumed run are gone by then; it is held against a whole one, which is replayed there",
  },
  {
    tests: "packages/agents/src/dev-team/dev-team.test.ts > a message > that a worker puts into an outbox",
    why: "its executor changes what a program gave, and a replay runs programs",
  },
];
