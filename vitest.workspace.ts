/** Where tests let teams run: their ways are compared with the diagrams of docs/teams.md. */
const WITH_TEAMS = ["agents", "tasks", "cli"];
export const GATHER = new URL("test/diagrams/gather.ts", import.meta.url).pathname;

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
    setupFiles: WITH_TEAMS.includes(name) ? [GATHER] : [],
  },
}));
