import { expect, test } from "vitest";
import { z } from "zod";
import type { Json } from "./contracts/json.ts";
import type { Tool } from "./contracts/tool.ts";
import { InvalidInputError } from "./errors.ts";
import { toolSpec } from "./tool-spec.ts";

function tool<I extends Json>(input: Tool<I>["input"]): Tool<I> {
  return {
    name: "greet",
    description: "Greets.",
    input,
    effect: "none",
    idempotent: true,
    call: async () => ({ ok: true, output: "" }),
  };
}

test("a tool's input becomes a plain JSON schema with its descriptions and bounds", () => {
  const input = z.strictObject({
    name: z.string().min(1).describe("Whom to greet."),
    times: z.int().min(1).max(9).exactOptional().describe("How often."),
  });
  expect(toolSpec(tool(input))).toStrictEqual({
    name: "greet",
    description: "Greets.",
    input: {
      type: "object",
      properties: {
        name: { type: "string", minLength: 1, description: "Whom to greet." },
        times: { type: "integer", minimum: 1, maximum: 9, description: "How often." },
      },
      required: ["name"],
      additionalProperties: false,
    },
  });
});

test("an input that is no object, or that JSON schema cannot say, is refused with the tool's name", () => {
  expect(() => toolSpec(tool(z.string()))).toThrow(InvalidInputError);
  // biome-ignore lint/suspicious/noExplicitAny: a schema that the type forbids, as untyped callers may pass it
  expect(() => toolSpec(tool(z.object({ when: z.date() }) as any))).toThrow(/tool greet/);
});
