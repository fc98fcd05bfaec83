import { defineConfig } from "vitest/config";
import { projects } from "./vitest.workspace.ts";

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
          include: ["scripts/**/*.test.ts", "docs/**/*.test.ts", "examples/**/*.test.ts", "test/**/*.test.ts"],
        },
      },
    ],
    testTimeout: 120_000,
  },
});
