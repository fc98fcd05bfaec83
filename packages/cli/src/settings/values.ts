import { InvalidInputError } from "@swarm/core";
import type { Setting, SettingKind } from "./settings.ts";

export type SettingValue = string | number | null;

/** What the values of a setting are, in words: `has to be …`. */
export function valuesInWords(kind: SettingKind): string {
  switch (kind.type) {
    case "model":
      return "a model, such as anthropic:claude-sonnet-5-5, and its fallbacks behind commas";
    case "choice":
      return new Intl.ListFormat("en", { type: "disjunction" }).format(kind.of);
    case "integer":
      return `a whole number from ${kind.min} to ${kind.max}`;
    case "number":
      return `a number from ${kind.min} to ${kind.max}`;
    case "address":
      return "an address";
    case "text":
      return kind.form;
    case "secret":
      return "a key";
  }
}

/** The ids in a setting of a role's model: the model, then its fallbacks in order. */
export function modelsIn(text: string): string[] {
  return text.split(",").map((id) => id.trim());
}

/** A value as text, as the environment has it. Throws an {@link InvalidInputError} that names `field` and the range. */
export function valueInText(setting: Setting, text: string, field: string, where = ""): SettingValue {
  const isNumber = setting.kind.type === "integer" || setting.kind.type === "number";
  const value = isNumber && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
  return checkedValue(setting, value, field, where);
}

/** A value as it is, from code or JSON. Throws an {@link InvalidInputError} that names `field` and the range. */
export function checkedValue({ kind, default: otherwise }: Setting, value: unknown, field: string, where = "") {
  if (fits(kind, value) || (value === null && otherwise === null)) return value as SettingValue;
  const given = kind.type === "secret" ? "" : `, and is ${JSON.stringify(value) ?? String(value)}`;
  throw new InvalidInputError(field, `has to be ${valuesInWords(kind)}${given}${where}`);
}

function fits(kind: SettingKind, value: unknown): boolean {
  switch (kind.type) {
    case "model":
      return typeof value === "string" && modelsIn(value).every((id) => /^[^\s=:]+(:\S+)?$/.test(id));
    case "choice":
      return typeof value === "string" && kind.of.includes(value);
    case "integer":
      return Number.isInteger(value) && within(kind, value as number);
    case "number":
      return typeof value === "number" && within(kind, value);
    case "address":
    case "text":
    case "secret":
      return typeof value === "string" && value.trim() !== "";
  }
}

function within({ min, max }: { min: number; max: number }, value: number): boolean {
  return value >= min && value <= max;
}
