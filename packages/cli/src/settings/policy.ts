import type { Effort, GuardOptions } from "@swarm/core";
import type { TeamRole } from "../teams/roles.ts";
import { PROVIDER_SETTINGS, SETTINGS, type Settings } from "./settings.ts";

/** What the settings say of retry and breaker. */
export function guardOptions(settings: Settings): GuardOptions {
  return {
    retries: settings.retryMax,
    baseMs: settings.retryBaseDelayS * 1000,
    maxMs: settings.retryMaxDelayS * 1000,
    failureThreshold: settings.breakerFailureThreshold,
    coolDownMs: settings.breakerCooldownS * 1000,
  };
}

/** The reasoning effort of each of these roles that has one set. */
export function effortOf(settings: Settings, roles: readonly TeamRole[]): Partial<Record<TeamRole, Effort>> {
  const levels = roles.map((role) => [role, settings[`${role}ThinkingLevel`]] as const);
  return Object.fromEntries(levels.filter(([, level]) => level !== null));
}

/** The keys and addresses of the providers as their variables. */
export function providerEnvironment(settings: Settings): Record<string, string> {
  const keys = Object.keys(PROVIDER_SETTINGS) as (keyof typeof PROVIDER_SETTINGS)[];
  return Object.fromEntries(
    keys.flatMap((key) => (settings[key] === null ? [] : [[SETTINGS[key].variable, settings[key]]])),
  );
}
