import { defineConfig } from "vitest/config";
import { projects, REPLAY_AND_COMPARE } from "./vitest.workspace.ts";

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
          setupFiles: REPLAY_AND_COMPARE,
          include: ["scripts/**/*.test.ts", "docs/**/*.test.ts", "examples/**/*.test.ts", "test/**/*.test.ts"],
        },
      },
    ],
    globalSetup: ["test/diagrams/coverage.ts", "test/runs/count.ts"],
    testTimeout: 120_000,
    maxWorkers: "100%",
    // what is done with each run is set up before anything of ours is loaded, and done before a test puts its folder away
    sequence: { setupFiles: "list", hooks: "list" },
  },
});
