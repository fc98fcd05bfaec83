import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { importsOf } from "./check-packages.ts";
import { packagesOf, root } from "./workspace.ts";

/** Clients of platforms that steps run on, and of stores that workspaces travel by. */
const CLIENT = /^(bullmq|ioredis|redis|@restatedev\/.+|@aws-sdk\/.+)$/;

function importsBelow(directory: string): { file: string; specifier: string }[] {
  return globSync("{src,test}/**/*.ts", { cwd: directory }).flatMap((file) =>
    importsOf(readFileSync(join(directory, file), "utf8")).map((specifier) => ({ file, specifier })),
  );
}

test.each(packagesOf().map(({ name, directory }) => ({ name, directory })))(
  "$name imports a remote client only where steps run",
  ({ name, directory }) => {
    const clients = importsBelow(directory).filter(({ specifier }) => CLIENT.test(specifier));
    if (name === "@swarm/executors") expect(clients.map(({ specifier }) => specifier)).toContain("bullmq");
    else expect(clients).toEqual([]);
  },
);

test.each(["core", "agents", "tools", "oracle", "sandbox"])("%s knows no platform by name", (name) => {
  const sources = globSync("**/*.ts", { cwd: join(root, "packages", name, "src") });
  expect(sources.length).toBeGreaterThan(10);
  const naming = sources.filter((file) =>
    /\b(bullmq|redis|restatedev|restateExecutor)\b/i.test(
      readFileSync(join(root, "packages", name, "src", file), "utf8"),
    ),
  );
  expect(naming).toEqual([]);
});

test("what all import of the executors brings no client with it", () => {
  const seen = new Set<string>();
  const foreign: string[] = [];
  const visit = (file: string) => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const specifier of importsOf(readFileSync(file, "utf8"))) {
      if (specifier.startsWith(".")) visit(join(file, "..", specifier));
      else if (CLIENT.test(specifier)) foreign.push(specifier);
    }
  };
  visit(join(root, "packages/executors/src/index.ts"));
  expect(seen.size).toBeGreaterThan(5);
  expect(foreign).toEqual([]);
});
