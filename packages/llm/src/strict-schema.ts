import type { Json, JsonObject } from "@swarm/core";

const KEYWORDS = new Set(
  `$schema $ref $defs title description type properties required additionalProperties items enum const anyOf minimum
   maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems`.split(/\s+/),
);

/**
 * Whether OpenAI's strict mode takes a JSON schema: every object is closed and requires all its properties, and no keyword
 * is outside the supported ones. In strict mode the answer cannot leave the schema, but a schema outside it is a 400.
 */
export function isStrictSchema(schema: JsonObject): boolean {
  return schema["type"] === "object" && fits(schema);
}

function fits(schema: Json | undefined): boolean {
  if (!isObject(schema) || Object.keys(schema).some((key) => !KEYWORDS.has(key))) return false;
  if (!["type", "enum", "const", "anyOf", "$ref"].some((key) => key in schema)) return false;
  const { type, properties, required, additionalProperties, items, anyOf, $defs } = schema;
  if (type === "object" || properties !== undefined) {
    const names = new Set(Array.isArray(required) ? required : []);
    if (additionalProperties !== false || !Object.keys(objectOr(properties)).every((name) => names.has(name)))
      return false;
  }
  const inner = [...Object.values(objectOr(properties)), ...Object.values(objectOr($defs))];
  if (items !== undefined) inner.push(items);
  if (Array.isArray(anyOf)) inner.push(...anyOf);
  return inner.every(fits);
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function objectOr(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}
