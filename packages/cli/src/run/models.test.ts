import { describe, expect, test } from "vitest";
import { chooseModels } from "./models.ts";
import { accessTo, PROVIDERS } from "./providers.ts";

const KEYS = { ANTHROPIC_API_KEY: "a", OPENAI_API_KEY: "b", OPENROUTER_API_KEY: "c", GEMINI_API_KEY: "d" };

async function idsOf(wishes: string[], env: Record<string, string> = KEYS) {
  const { models } = await chooseModels(wishes, env);
  return Object.fromEntries(Object.entries(models).map(([role, client]) => [role, client.id]));
}

describe("chooseModels", () => {
  test("takes the default for every role without a model", async () => {
    expect(await idsOf(["reviewer=openai:gpt-x"])).toEqual({
      planner: "anthropic:claude-sonnet-5-5",
      coder: "anthropic:claude-sonnet-5-5",
      tester: "anthropic:claude-sonnet-5-5",
      reviewer: "openai:gpt-x",
    });
  });

  test("a model without a role is that of every role without its own; its name may hold colons, slashes and equals signs", async () => {
    expect(await idsOf(["ollama:qwen3:8b", "coder=openrouter:some/model:free=1"], KEYS)).toEqual({
      planner: "ollama:qwen3:8b",
      coder: "openrouter:some/model:free=1",
      tester: "ollama:qwen3:8b",
      reviewer: "ollama:qwen3:8b",
    });
  });

  test("roles with the same model share its client", async () => {
    const { models } = await chooseModels(["vllm:m"], {});
    expect(models.coder).toBe(models.planner);
  });

  test.each(Object.keys(PROVIDERS))("makes models of %s", async (provider) => {
    expect(await idsOf([`${provider}:some-model`])).toMatchObject({ coder: `${provider}:some-model` });
  });

  test.each([
    [["claude"], "is not of the form"],
    [["anthropic:"], "is not of the form"],
    [[":x"], "is not of the form"],
    [["coder="], "is not of the form"],
    [["antropic:x"], "did you mean anthropic?"],
    [["zzz:x"], "the providers are anthropic, openai"],
    [["codre=openai:x"], "did you mean coder?"],
    [["boss=openai:x"], "the roles are planner, coder, tester, reviewer"],
    [["openai:x", "openai:y"], "the model of every role is given twice"],
    [["coder=openai:x", "coder=openai:y"], "coder is given twice"],
  ])("%j is refused", async (wishes, message) => {
    await expect(chooseModels(wishes, KEYS)).rejects.toMatchObject({
      code: "USAGE",
      field: "--model",
      message: expect.stringContaining(message),
    });
  });

  test("a missing key names its variable, the provider and what helps", async () => {
    await expect(chooseModels([], { ANTHROPIC_API_KEY: " " })).rejects.toMatchObject({
      code: "MISSING_KEY",
      field: "ANTHROPIC_API_KEY",
      message: expect.stringMatching(/models of anthropic.*--mock/),
    });
  });
});

describe("accessTo", () => {
  const baseURL = (provider: string, env: Record<string, string>) =>
    accessTo(provider, PROVIDERS[provider]!, { ...KEYS, ...env }).baseURL;

  test.each([
    ["ollama", {}, "http://localhost:11434/v1"],
    ["ollama", { OLLAMA_HOST: "gpu" }, "http://gpu:11434/v1"],
    ["ollama", { OLLAMA_HOST: "0.0.0.0" }, "http://127.0.0.1:11434/v1"],
    ["ollama", { OLLAMA_HOST: "gpu:80" }, "http://gpu/v1"],
    ["ollama", { OLLAMA_HOST: "https://gpu.example:8443/" }, "https://gpu.example:8443/v1"],
    ["vllm", { VLLM_BASE_URL: "http://gpu:9000/v1" }, "http://gpu:9000/v1"],
    ["openai", { OPENAI_BASE_URL: "" }, "https://api.openai.com/v1"],
  ])("%s with %j is at %s", (provider, env, expected) => {
    expect(baseURL(provider, env)).toBe(expected);
  });

  test("names the variable whose address is none", () => {
    expect(() => baseURL("vllm", { VLLM_BASE_URL: "nowhere" })).toThrow('VLLM_BASE_URL: "nowhere" is no address');
  });
});
