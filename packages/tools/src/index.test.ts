import { toolSpec } from "@swarm/core";
import { expect, test } from "vitest";
import { codingTools, readingTools } from "./index.ts";

test("every tool can be told to a model: object input, each parameter with a description, nothing but what is listed", () => {
  expect(codingTools.map(({ name }) => name)).toEqual([
    "read_file",
    "list_dir",
    "search",
    "write_file",
    "edit_file",
    "apply_patch",
    "run",
    "run_tests",
  ]);
  for (const { description, input } of codingTools.map(toolSpec)) {
    expect(description.length).toBeGreaterThan(100);
    expect(input).toMatchObject({ type: "object", additionalProperties: false });
    for (const parameter of Object.values(input["properties"] as object))
      expect(parameter).toHaveProperty("description");
  }
});

test("reading tools change nothing and may be called twice", () => {
  for (const { effect, idempotent } of readingTools) expect([effect, idempotent]).toEqual(["none", true]);
});

test("wrong input is refused before a call", () => {
  const inputs: Record<string, unknown> = {
    read_file: { path: "f", startLine: 0 },
    edit_file: { path: "f", oldText: "", newText: "x" },
    run: { argv: ["true"], timeoutSeconds: 121 },
    search: { pattern: "x", unknown: true },
  };
  for (const tool of codingTools.filter(({ name }) => name in inputs)) {
    expect(tool.input.safeParse(inputs[tool.name]).success).toBe(false);
  }
});
