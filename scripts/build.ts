/** Builds every package into its `dist`, dependencies first: declarations are made from the declarations of dependencies. */
import { tellAndFail, tool } from "./run.ts";
import { packagesOf } from "./workspace.ts";

async function build(): Promise<void> {
  for (const { directory } of packagesOf()) {
    await tool("tsup", [], directory);
    await tool("tsc", ["-p", "tsconfig.build.json"], directory);
  }
}

await build().catch(tellAndFail);
