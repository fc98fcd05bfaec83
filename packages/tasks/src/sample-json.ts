import type { Json, JsonObject } from "@swarm/core";
import type { Random } from "./random.ts";

/**
 * A value that follows a JSON schema as far as models are commonly given them: const, enum, unions, types, properties and
 * items. Texts come from `text`, which is given the name of the property.
 */
export function sampleJson(schema: Json, random: Random, text: (name: string) => string, name = ""): Json {
  const rules: JsonObject = isObject(schema) ? schema : {};
  if (rules["const"] !== undefined) return rules["const"];
  const choices = [rules["enum"], rules["anyOf"], rules["oneOf"]].find(Array.isArray);
  if (choices === rules["enum"] && choices !== undefined) return random.pick(choices);
  if (choices !== undefined) return sampleJson(random.pick(choices), random, text, name);
  switch (Array.isArray(rules["type"]) ? random.pick(rules["type"]) : rules["type"]) {
    case "object":
      return sampleObject(rules, random, text);
    case "array":
      return Array.from({ length: 1 + random.below(2) }, () => sampleJson(rules["items"] ?? {}, random, text, name));
    case "integer":
    case "number":
      return random.below(20);
    case "boolean":
      return random.chance(50);
    case "null":
      return null;
    default:
      return text(name);
  }
}

/** The required properties, and each other one in half of the cases. */
function sampleObject(rules: JsonObject, random: Random, text: (name: string) => string): JsonObject {
  const properties = isObject(rules["properties"]) ? Object.entries(rules["properties"]) : [];
  const required = Array.isArray(rules["required"]) ? rules["required"] : [];
  const given = properties.filter(([key]) => required.includes(key) || random.chance(50));
  return Object.fromEntries(given.map(([key, value]) => [key, sampleJson(value, random, text, key)]));
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
