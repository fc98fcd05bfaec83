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
  test: { name, include: [`packages/${name}/src/**/*.test.ts`, `packages/${name}/test/**/*.test.ts`] },
}));
