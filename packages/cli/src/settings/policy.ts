import { CODESWARM_ROLES, type CodeswarmOptions } from "@swarm/agents";
import type { GuardOptions } from "@swarm/core";
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

/** The reasoning effort of each role that has one. */
export function effortOf(settings: Settings): NonNullable<CodeswarmOptions["effort"]> {
  const levels = CODESWARM_ROLES.map((role) => [role, settings[`${role}ThinkingLevel`]] as const);
  return Object.fromEntries(levels.filter(([, level]) => level !== null));
}

/** The keys and addresses of the providers as their variables. */
export function providerEnvironment(settings: Settings): Record<string, string> {
  const keys = Object.keys(PROVIDER_SETTINGS) as (keyof typeof PROVIDER_SETTINGS)[];
  return Object.fromEntries(
    keys.flatMap((key) => (settings[key] === null ? [] : [[SETTINGS[key].variable, settings[key]]])),
  );
}
