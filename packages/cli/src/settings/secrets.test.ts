import { afterEach, expect, test } from "vitest";
import { removeTempFolders, tempFolder } from "../../test/cli.ts";
import { loadSettings } from "./load-settings.ts";
import { maskFor } from "./secrets.ts";

afterEach(removeTempFolders);

const sources = () => ({ cwd: tempFolder(), env: {} });

test("takes out keys by value and by shape, in text and in JSON", async () => {
  const key = 'no-known-"shape"';
  const mask = maskFor(await loadSettings({ vllmApiKey: key, openaiBaseUrl: "http://stays.example" }, sources()));
  expect(mask(`a ${key} b sk-abcdefghijklmnopqrstuvwxyz c http://stays.example`)).toBe(
    "a [redacted-secret] b [redacted-secret] c http://stays.example",
  );
  expect(JSON.parse(mask(JSON.stringify({ said: `${key}!` })))).toEqual({ said: "[redacted-secret]!" });
});

test("a key that is a word stays, since the word means other things", async () => {
  const mask = maskFor(await loadSettings({ vllmApiKey: "test" }, sources()));
  expect(mask("the test passed")).toBe("the test passed");
});
