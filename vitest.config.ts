import { defineConfig } from "vitest/config";
import { GATHER, projects } from "./vitest.workspace.ts";

export default defineConfig({
  resolve: { conditions: ["@swarm/source"] },
  ssr: { resolve: { conditions: ["@swarm/source"] } },
  test: {
    projects: [
      ...projects,
      {
        extends: true,
        test: {
          name: "repository",
          setupFiles: [GATHER],
          include: ["scripts/**/*.test.ts", "docs/**/*.test.ts", "examples/**/*.test.ts", "test/**/*.test.ts"],
        },
      },
    ],
    globalSetup: ["test/diagrams/coverage.ts"],
    testTimeout: 120_000,
  },
});
