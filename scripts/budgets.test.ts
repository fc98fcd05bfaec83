import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { packagesOf, readManifest, root } from "./workspace.ts";

const packages = packagesOf();

/** What a package brings into an application, other than our own packages, and what it asks the application to bring. */
test.each([
  ["@swarm/core", ["eventemitter3", "opossum", "p-retry"], ["zod"]],
  ["@swarm/llm", ["@pydantic/genai-prices"], ["@anthropic-ai/sdk", "openai", "zod"]],
  ["@swarm/sandbox", [], ["zod"]],
  ["@swarm/oracle", ["@sveltejs/acorn-typescript", "@xmldom/xmldom", "acorn", "tap-parser"], ["zod"]],
  ["@swarm/tools", [], ["zod"]],
  ["@swarm/memory", [], ["zod"]],
  ["@swarm/executors", [], ["@aws-sdk/client-s3", "@restatedev/restate-sdk", "bullmq", "ioredis", "zod"]],
  ["@swarm/tasks", [], ["zod"]],
  ["@swarm/corpus", [], ["zod"]],
  ["@swarm/agents", [], ["zod"]],
  ["@swarm/cli", ["@anthropic-ai/sdk", "openai", "pino"], ["zod"]],
])("%s depends on %j and expects %j", (name, dependencies, peers) => {
  const manifest = packages.find((one) => one.name === name)?.manifest;
  const foreign = Object.keys(manifest?.dependencies ?? {}).filter((dependency) => !dependency.startsWith("@swarm/"));
  expect(foreign.sort()).toEqual(dependencies);
  expect(Object.keys(manifest?.peerDependencies ?? {}).sort()).toEqual(peers);
});

test.each([".", "examples", "bench", ...packages.map((one) => relative(root, one.directory))])(
  "%s/package.json names exact versions",
  (directory) => {
    const { dependencies, devDependencies, optionalDependencies } = readManifest(join(root, directory));
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })) {
      expect(`${name} ${version}`).toMatch(/ (\d+\.\d+\.\d+|workspace:\*)$/);
    }
  },
);
