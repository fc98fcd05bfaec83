import { REDACTED, redact } from "@swarm/core";
import { SETTING_KEYS, SETTINGS, type Settings } from "./settings.ts";

/** Text without secrets. Also good for JSON as text: what stands for a secret needs no escape. */
export type Mask = (text: string) => string;

/** Shorter values are words that occur anywhere, and no provider's key is one. */
const SHORTEST = 8;

/** Replaces the keys that are set, by their value, and whatever is shaped like a key. */
export function maskFor(settings: Settings): Mask {
  const keys = SETTING_KEYS.filter((key) => SETTINGS[key].kind.type === "secret").map((key) => settings[key]);
  const values = keys.filter((value): value is string => typeof value === "string" && value.length >= SHORTEST);
  const forms = values.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]);
  return (text) => redact(forms.reduce((masked, form) => masked.replaceAll(form, REDACTED), text));
}
