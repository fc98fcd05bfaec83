const setUp = (file: string) => new URL(`test/${file}`, import.meta.url).pathname;
/** Each run of the tests is replayed. Where tests let teams run, their ways are compared with the diagrams of docs/teams.md too. */
const REPLAY = [setUp("runs/replay.ts")];
export const REPLAY_AND_COMPARE = [...REPLAY, setUp("diagrams/gather.ts")];
const WITH_TEAMS = ["agents", "tasks", "cli"];

/** The test projects: one a package, then the examples, the documentation and the repository itself. */
export const projects = [
  "core",
  "llm",
  "sandbox",
  "oracle",
  "tools",
  "memory",
  "executors",
  "agents",
  "tasks",
  "corpus",
  "cli",
].map((name) => ({
  extends: true as const,
  test: {
    name,
    include: [`packages/${name}/src/**/*.test.ts`, `packages/${name}/test/**/*.test.ts`],
    setupFiles: WITH_TEAMS.includes(name) ? REPLAY_AND_COMPARE : REPLAY,
  },
}));
