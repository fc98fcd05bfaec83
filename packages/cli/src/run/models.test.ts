import { afterEach, describe, expect, test } from "vitest";
import { removeTempFolders, tempFolder } from "../../test/cli.ts";
import { loadSettings } from "../settings/load-settings.ts";
import type { Settings } from "../settings/settings.ts";
import { TEAMS } from "../teams/teams.ts";
import { modelsFor } from "./models.ts";

afterEach(removeTempFolders);

async function modelsWith(overrides: Partial<Settings>, team = TEAMS.codeswarm) {
  const cwd = tempFolder();
  const settings = await loadSettings(overrides, { cwd, env: {} });
  const setBy = (role: string) => (role === "coder" ? "--model" : "SOME_MODEL");
  return modelsFor(team, settings, { cacheDirectory: cwd, setBy });
}
const idsOf = (models: readonly { id: string }[]) => models.map(({ id }) => id);
const KEYS = { anthropicApiKey: "k", openaiApiKey: "k" };

describe("modelsFor", () => {
  test("gives each role its model, and roles with the same one the same client", async () => {
    const { models, model } = await modelsWith({ ...KEYS, coderModel: "openai:gpt-x" });
    expect(Object.values(models).map(idsOf)).toEqual([
      ["anthropic:claude-sonnet-5-5"],
      ["openai:gpt-x"],
      ["anthropic:claude-sonnet-5-5"],
      ["anthropic:claude-sonnet-5-5"],
    ]);
    expect(model).toEqual(models.planner);
    expect(models.reviewer?.[0]).toBe(models.planner?.[0]);
  });

  test("gives a role its fallbacks in order, each of which has to be there", async () => {
    const { models } = await modelsWith({ ...KEYS, coderModel: "openai:gpt-x, claude-haiku-5-5,openai:o3:7b" });
    expect(idsOf(models.coder!)).toEqual(["openai:gpt-x", "anthropic:claude-haiku-5-5", "openai:o3:7b"]);
    const refused = modelsWith({ anthropicApiKey: "k", coderModel: "claude-haiku-5-5,openai:gpt-x" });
    await expect(refused).rejects.toThrow(/^OPENAI_API_KEY: is not set.*\(openai:gpt-x, the model of coder\)/);
  });

  test("takes the default of a role from its team, also where another team has a role of that name", async () => {
    const reviewerOf = async (team = TEAMS.codeswarm, overrides = {}) =>
      (await modelsWith({ ...KEYS, geminiApiKey: "k", ...overrides }, team)).models.reviewer?.[0].id;
    expect(await reviewerOf()).toBe("anthropic:claude-sonnet-5-5");
    expect(await reviewerOf(TEAMS["self-healing"])).toBe("gemini:gemini-flash-lite-latest");
    expect(await reviewerOf(TEAMS["self-healing"], { reviewerModel: "openai:gpt-x" })).toBe("openai:gpt-x");
  });

  test("keeps answers unless CACHE_TTL_S is 0", async () => {
    expect((await modelsWith(KEYS)).model[0].cached).toBeTypeOf("function");
    expect((await modelsWith({ ...KEYS, cacheTtlS: 0 })).model[0].cached).toBeUndefined();
  });

  test("tells of every model that cannot be called, and who needs it", async () => {
    const refused = modelsWith({ coderModel: "openai:x", testerModel: "openai:x" });
    await expect(refused).rejects.toMatchObject({ code: "MISSING_KEY", field: "ANTHROPIC_API_KEY" });
    await expect(refused).rejects.toThrow(/^ANTHROPIC_API_KEY: .*the model of planner, reviewer\)/);
    await expect(refused).rejects.toThrow(/; OPENAI_API_KEY: is not set.*the model of coder, tester\); .*--mock/);
  });

  test.each([
    [{ coderModel: "antropic:x" }, "--model", "did you mean anthropic?"],
    [{ reviewerModel: "some-model" }, "SOME_MODEL", "does not say whose model it is"],
    [{ coderModel: "ollama:x", ollamaHost: "127.0.0.1:1" }, "--model", "could not be reached"],
    [{ coderModel: "vllm:x", vllmBaseUrl: "nowhere" }, "VLLM_BASE_URL", "is no address"],
  ])("%j is the fault of %s", async (settings, field, message) => {
    await expect(modelsWith({ ...KEYS, ...settings })).rejects.toMatchObject({ field });
    await expect(modelsWith({ ...KEYS, ...settings })).rejects.toThrow(message);
  });
});
