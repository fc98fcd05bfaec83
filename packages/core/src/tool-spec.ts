import { z } from "zod";
import type { JsonObject } from "./contracts/json.ts";
import type { ToolSpec } from "./contracts/model.ts";
import type { Tool } from "./contracts/tool.ts";
import { InvalidInputError } from "./errors.ts";

/** Each request tells of all tools of its role, and to make a schema takes longer than the engine's share of the call. */
const made = new WeakMap<object, ToolSpec>();

/**
 * What a model is told of a tool: its name, its description, and its input as a JSON schema (draft 2020-12). Refinements
 * that JSON schema cannot say are left out: the tool's own schema still checks them.
 *
 * @throws {InvalidInputError} when the input is not an object, which no provider takes, or cannot be told as JSON schema.
 */
// biome-ignore lint/suspicious/noExplicitAny: any tool, whatever its input
export function toolSpec(tool: Tool<any>): ToolSpec {
  const known = made.get(tool);
  if (known) return known;
  const { $schema: _, ...input } = jsonSchemaOf(tool);
  if (input["type"] !== "object") {
    throw new InvalidInputError(`tool ${tool.name}`, "its input must be an object schema, such as z.strictObject({…})");
  }
  const spec = { name: tool.name, description: tool.description, input };
  made.set(tool, spec);
  return spec;
}

// biome-ignore lint/suspicious/noExplicitAny: any tool, whatever its input
function jsonSchemaOf(tool: Tool<any>): JsonObject {
  try {
    // Through text, since the schema object carries properties that are no JSON.
    return JSON.parse(JSON.stringify(z.toJSONSchema(tool.input, { io: "input", target: "draft-2020-12" })));
  } catch (error) {
    throw new InvalidInputError(`tool ${tool.name}`, "its input schema cannot be told as JSON schema", {
      cause: error,
    });
  }
}
