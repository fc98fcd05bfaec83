import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { findProvider } from "@pydantic/genai-prices";
import { PriceSchema } from "@swarm/core";
import { scripted } from "@swarm/core/testing";
import { priceOf, withPrice } from "@swarm/llm/prices";
import { describe, expect, test } from "vitest";

/** The version of the list that is installed, which is the one that our package.json asks for. */
function installed(): string {
  const entry = createRequire(import.meta.url).resolve("@pydantic/genai-prices");
  return JSON.parse(readFileSync(join(dirname(entry), "../package.json"), "utf8")).version;
}

/** The day is that on which this version of the list was published. */
const source = `genai-prices ${installed()} of 2026-09-23`;

test("the source is the list that is installed", () => {
  expect(priceOf("anthropic:claude-sonnet-4-5")?.price.source).toBe(source);
});

describe("priceOf", () => {
  test.each([
    // Longer prompts cost more: this is the price below that step.
    ["anthropic:claude-sonnet-4-5", { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75, source }, 200_000],
    ["openai:gpt-5", { input: 1.25, output: 10, cacheRead: 0.125, source }, 400_000],
    ["gemini:gemini-2.5-pro", { input: 1.25, output: 10, cacheRead: 0.125, source }, null],
    ["openrouter:openai/gpt-5", { input: 1.25, output: 10, cacheRead: 0.125, source }, 400_000],
    ["deepseek:deepseek-chat", { input: 0.27, output: 1.1, cacheRead: 0.07, source }, 64_000],
  ])("knows %s", (id, price, window) => {
    expect(priceOf(id, new Date("2026-06-01T12:00:00Z"))).toEqual({ price, window });
  });

  test("goes by the hour where a price does", () => {
    const at = (time: string) => priceOf("deepseek:deepseek-chat", new Date(`2026-06-01T${time}Z`))?.price.input;
    expect([at("16:29:00"), at("16:31:00")]).toEqual([0.27, 0.135]);
  });

  test("says for which model of the list it takes a variant", () => {
    expect(priceOf("anthropic:claude-sonnet-4-5-20250929")?.price.source).toBe(`${source}, as claude-sonnet-4-5`);
  });

  test.each([
    ["an unknown model", "openai:never-heard-of"],
    ["an unknown provider", "nowhere:gpt-5"],
    ["a server of one's own", "ollama:qwen3"],
    ["a server of one's own", "vllm:gpt-5"],
    ["a proxy that is named after a provider", "my-openai-proxy:gpt-5"],
    ["a free model", "openrouter:qwen/qwen3-coder:free"],
    ["a model without output", "openai:text-embedding-3-small"],
    ["a model that is paid by the hour", "openai:whisper-1"],
    ["a bare name", "gpt-5"],
    ["no provider", ":gpt-5"],
    ["no model", "openai:"],
    ["nothing", ""],
    ["what every object has", "constructor:gpt-5"],
  ])("knows no price of %s: %s", (_, id) => {
    expect(priceOf(id)).toBeNull();
  });

  test("takes the price of the day", () => {
    expect(priceOf("openai:o3", new Date("2025-06-09"))?.price.input).toBe(10);
    expect(priceOf("openai:o3", new Date("2025-06-11"))?.price.input).toBe(2);
  });

  test("gives a price that costs something, or none, for every model of the list", () => {
    const models = ["anthropic", "openai", "google", "openrouter"].flatMap((provider) =>
      findProvider({ providerId: provider })!.models.map(({ id }) => `${provider}:${id}`),
    );
    const priced = models.flatMap((id) => priceOf(id) ?? []);
    expect(priced.length).toBeGreaterThan(500);
    for (const { price, window } of priced) {
      expect(PriceSchema.parse(price)).toEqual(price);
      expect(price.input + price.output).toBeGreaterThan(0);
      if (window !== null) expect(window).toBeGreaterThan(0);
    }
  });
});

describe("withPrice", () => {
  test("adds price and window where they are unknown", () => {
    const client = withPrice(scripted("openai:gpt-5", () => "Hi"));
    expect(client).toMatchObject({ id: "openai:gpt-5", window: 400_000, price: { input: 1.25, output: 10 } });
  });

  test("keeps those that were given", () => {
    const price = { input: 7, output: 8 };
    const client = withPrice(scripted("openai:gpt-5", () => "Hi", { price, window: 9 }));
    expect(client).toMatchObject({ window: 9, price });
  });

  test("leaves a model that the list does not know as it is", () => {
    const model = scripted("ollama:qwen3", () => "Hi");
    expect(withPrice(model)).toBe(model);
  });
});
