import { InvalidInputError } from "@swarm/core";
import { expect, test } from "vitest";
import { rolesOf, TEAMS } from "../teams/teams.ts";
import { modelFlags as modelFlagsOf } from "./model-flags.ts";

const modelFlags = (given: readonly string[]) => modelFlagsOf(given, rolesOf(TEAMS.codeswarm));

test("without a flag nothing is set", () => {
  expect(modelFlags([])).toEqual({});
  expect(modelFlags(["reviewer=openai:gpt-x"])).toEqual({ reviewerModel: "openai:gpt-x" });
});

test("a model without a role is that of every role without its own; its name may hold colons, slashes and equals signs", () => {
  expect(modelFlags(["ollama:qwen3:8b", "coder=openrouter:some/model:free=1"])).toEqual({
    plannerModel: "ollama:qwen3:8b",
    coderModel: "openrouter:some/model:free=1",
    testerModel: "ollama:qwen3:8b",
    reviewerModel: "ollama:qwen3:8b",
  });
  expect(modelFlags(["coder=claude-x"])).toEqual({ coderModel: "claude-x" });
});

test.each([
  [[":x"], "is not of the form"],
  [["coder="], "is not of the form"],
  [["a b:c"], "is not of the form"],
  [["codre=openai:x"], "did you mean coder?"],
  [["boss=openai:x"], "the roles are planner, coder, tester, reviewer"],
  [["openai:x", "openai:y"], "the model of every role is given twice"],
  [["coder=openai:x", "coder=openai:y"], "coder is given twice"],
])("%j is refused", (given, message) => {
  expect(() => modelFlags(given)).toThrow(InvalidInputError);
  expect(() => modelFlags(given)).toThrow(/^--model: /);
  expect(() => modelFlags(given)).toThrow(message);
});
