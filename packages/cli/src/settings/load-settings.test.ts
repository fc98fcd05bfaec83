import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PROVIDERS } from "@swarm/llm/models";
import { afterEach, describe, expect, test, vi } from "vitest";
import { removeTempFolders, tempFolder } from "../../test/cli.ts";
import { loadSettings } from "./load-settings.ts";
import { PROVIDER_SETTINGS, SETTING_KEYS, SETTINGS, type Settings } from "./settings.ts";

afterEach(removeTempFolders);

/** A folder with these files. */
function folderWith(files: Record<string, string>): string {
  const cwd = tempFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  return cwd;
}
const load = (
  files: Record<string, string> = {},
  env: Record<string, string> = {},
  overrides: Partial<Settings> = {},
) => loadSettings(overrides, { cwd: folderWith(files), env });

describe("loadSettings", () => {
  test("gives every setting its default", async () => {
    const defaults = Object.fromEntries(SETTING_KEYS.map((key) => [key, SETTINGS[key].default]));
    expect(await load()).toEqual(defaults);
  });

  test("takes each from the last of config file, .env, environment and overrides that has it", async () => {
    const files = {
      "swarm.config.json": JSON.stringify({
        retryMax: 0,
        coderModel: "a:file",
        plannerModel: "a:file",
        logLevel: "warn",
      }),
      ".env": "CODER_MODEL=a:dotenv\nPLANNER_MODEL=a:dotenv\nTESTER_MODEL=a:dotenv\n",
    };
    const env = { PLANNER_MODEL: "a:environment", TESTER_MODEL: "a:environment" };
    expect(await load(files, env, { testerModel: "a:override" })).toMatchObject({
      retryMax: 0,
      logLevel: "warn",
      coderModel: "a:dotenv",
      plannerModel: "a:environment",
      testerModel: "a:override",
      reviewerModel: null,
    });
  });

  test("reads .env without changing the process's environment", async () => {
    const before = { ...process.env };
    const { openaiApiKey, coderThinkingLevel } = await load({ ".env": "OPENAI_API_KEY='k'\nCODER_THINKING_LEVEL=low" });
    expect([openaiApiKey, coderThinkingLevel]).toEqual(["k", "low"]);
    expect(process.env).toEqual(before);
  });

  test("takes a variable that is empty, and an override that is undefined, as not set", async () => {
    const overrides = { retryMax: undefined } as never;
    const settings = await load({ ".env": "RETRY_MAX=1" }, { RETRY_MAX: " ", CODER_MODEL: "" }, overrides);
    expect(settings).toMatchObject({ retryMax: 1, coderModel: SETTINGS.coderModel.default });
  });

  test("null sets back what has no default", async () => {
    expect(
      (await load({}, { CODER_THINKING_LEVEL: "low" }, { coderThinkingLevel: null })).coderThinkingLevel,
    ).toBeNull();
    await expect(load({}, {}, { retryMax: null } as never)).rejects.toMatchObject({ field: "retryMax" });
  });

  test.each([
    ["swarm.config.ts", "const calls: number = 2;\nexport default { coderMaxIterations: calls };\n"],
    ["swarm.config.mjs", "export default { coderMaxIterations: 1 + 1 };\n"],
    ["swarm.config.json", '{ "coderMaxIterations": 2 }'],
  ])("reads %s", async (name, text) => {
    expect((await load({ [name]: text })).coderMaxIterations).toBe(2);
  });

  test.each<[string, Record<string, string>, string, string]>([
    [
      "two of them",
      { "swarm.config.ts": "", "swarm.config.json": "{}" },
      "swarm.config.json",
      "beside swarm.config.ts",
    ],
    ["no JSON", { "swarm.config.json": "{" }, "swarm.config.json", "cannot be loaded"],
    ["a list", { "swarm.config.json": "[]" }, "swarm.config.json", "has to hold a plain object"],
    ["code that throws", { "swarm.config.mjs": 'throw new Error("not today")' }, "swarm.config.mjs", "not today"],
    ["no default export", { "swarm.config.mjs": "export const retryMax = 1" }, "swarm.config.mjs", "default export"],
    ["an instance", { "swarm.config.mjs": "export default new Map()" }, "swarm.config.mjs", "default export"],
    [
      "a misspelt key",
      { "swarm.config.json": '{"retrymax":1}' },
      "retrymax",
      "did you mean retryMax? (swarm.config.json)",
    ],
    ["a setting of nothing", { "swarm.config.json": '{"weather":3}' }, "weather", "is no setting"],
    ["a number as text", { "swarm.config.json": '{"retryMax":"1"}' }, "retryMax", 'is "1" (swarm.config.json)'],
    [
      "a key",
      { "swarm.config.json": '{"openaiApiKey":"sk-1"}' },
      "openaiApiKey",
      "set OPENAI_API_KEY (swarm.config.json)",
    ],
    ["text for a number", { ".env": "RETRY_MAX=many" }, "RETRY_MAX", 'from 0 to 3, and is "many" (.env)'],
    ["a number in another notation", { ".env": "RETRY_MAX=0x1" }, "RETRY_MAX", 'is "0x1"'],
    ["half a call", { ".env": "CODER_MAX_ITERATIONS=1.5" }, "CODER_MAX_ITERATIONS", "a whole number from 1 to 10"],
    ["an unknown level", { ".env": "CODER_THINKING_LEVEL=max" }, "CODER_THINKING_LEVEL", "low, medium, or high"],
    ["a provider without a model", { ".env": "CODER_MODEL=openai:" }, "CODER_MODEL", "such as anthropic:claude"],
    ["a model with a gap", { ".env": 'CODER_MODEL="a: b"' }, "CODER_MODEL", 'and is "a: b"'],
  ])("refuses %s, and says what would be right", async (_, files, field, message) => {
    await expect(load(files)).rejects.toMatchObject({ code: "INVALID_INPUT", field });
    await expect(load(files)).rejects.toThrow(message);
  });

  test("gives a file that never settles ten seconds", async () => {
    const never = loadSettings({}, { cwd: folderWith({ "swarm.config.mjs": "await new Promise(() => {})" }), env: {} });
    const told = expect(never).rejects.toThrow("swarm.config.mjs: cannot be loaded: it was not done after 10 seconds");
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    try {
      while (vi.getTimerCount() === 0) await new Promise((resolve) => setImmediate(resolve));
      vi.advanceTimersByTime(10_000);
      await told;
    } finally {
      vi.useRealTimers();
    }
  });

  test("never shows a key", async () => {
    const wrong = load({}, {}, { openaiApiKey: ["sk-hidden"] } as never);
    await expect(wrong).rejects.toThrow(/^openaiApiKey: has to be a key$/);
  });

  test("a value that is wrong is refused though another source has a right one", async () => {
    await expect(load({ ".env": "RETRY_MAX=9" }, { RETRY_MAX: "1" })).rejects.toThrow("(.env)");
  });

  test("an .env that cannot be read is no missing one", async () => {
    const cwd = tempFolder();
    mkdirSync(join(cwd, ".env"));
    await expect(loadSettings({}, { cwd, env: {} })).rejects.toMatchObject({ code: "EISDIR" });
  });
});

describe("the range of", () => {
  const numbers = SETTING_KEYS.flatMap((key) => {
    const { variable, kind } = SETTINGS[key];
    return "min" in kind ? [{ key, variable, ...kind }] : [];
  });

  test.each(numbers)("$variable is from $min to $max", async ({ key, variable, min, max }) => {
    for (const value of [min, max]) {
      expect((await load({}, { [variable]: String(value) }))[key]).toBe(value);
      expect((await load({}, {}, { [key]: value }))[key]).toBe(value);
    }
    for (const value of [min - 1, max + 1, max + 0.5]) {
      const refused = `has to be a ${SETTINGS[key].kind.type === "integer" ? "whole " : ""}number from ${min} to ${max}`;
      await expect(load({}, { [variable]: String(value) })).rejects.toThrow(`${variable}: ${refused}, and is ${value}`);
      await expect(load({}, {}, { [key]: value })).rejects.toThrow(`${key}: ${refused}, and is ${value}`);
    }
  });
});

test("keys and addresses are those of the providers", () => {
  const known = PROVIDERS.flatMap(({ keyVariables, baseURLVariable }) => [...keyVariables, baseURLVariable]);
  const variables = Object.values(PROVIDER_SETTINGS).map(({ variable }) => variable);
  expect(variables).toEqual(known.filter((variable) => variable !== null));
});
