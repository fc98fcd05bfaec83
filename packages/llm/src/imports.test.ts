import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** Every file that an entry loads, and every package that these import for more than types. */
function loads(entry: string, seen = new Set<string>(), packages = new Set<string>()): Set<string> {
  if (seen.has(entry)) return packages;
  seen.add(entry);
  const source = readFileSync(new URL(entry, import.meta.url), "utf8");
  for (const [, from] of source.matchAll(/^(?:import|export) (?!type )[^;]*?from "([^"]+)";/gm)) {
    if (from!.startsWith(".")) loads(from!, seen, packages);
    else if (!from!.startsWith("node:"))
      packages.add(
        from!
          .split("/")
          .slice(0, from!.startsWith("@") ? 2 : 1)
          .join("/"),
      );
  }
  return packages;
}

test("each entry loads its own SDK and no other", () => {
  expect([...loads("./index.ts")]).toEqual([]);
  expect([...loads("./anthropic.ts")].sort()).toEqual(["@anthropic-ai/sdk", "@swarm/core"]);
  expect([...loads("./openai.ts")].sort()).toEqual(["@swarm/core", "openai"]);
  expect([...loads("./openai-compatible.ts")].sort()).toEqual(["@swarm/core", "openai"]);
});

test("an entry without an SDK loads none, and only the prices load their list", () => {
  expect([...loads("./cache.ts")].sort()).toEqual(["@swarm/core", "zod"]);
  expect([...loads("./models.ts")].sort()).toEqual(["@swarm/core", "zod"]);
  expect([...loads("./prices.ts")].sort()).toEqual(["@pydantic/genai-prices"]);
});
