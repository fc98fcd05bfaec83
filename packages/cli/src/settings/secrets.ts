import { createRedactor } from "@swarm/core";
import { SETTING_KEYS, SETTINGS, type Settings } from "./settings.ts";

/** Text without secrets. Also good for JSON as text: what stands for a secret needs no escape. */
export type Mask = (text: string) => string;

/** The keys that are set. */
export function secretsOf(settings: Settings): string[] {
  const keys = SETTING_KEYS.filter((key) => SETTINGS[key].kind.type === "secret").map((key) => settings[key]);
  return keys.filter((value) => typeof value === "string");
}

/** Replaces the keys that are set, by their value as core does it, and whatever is shaped like a key. */
export function maskFor(settings: Settings): Mask {
  return createRedactor(secretsOf(settings).flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]));
}
