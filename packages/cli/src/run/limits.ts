import type { Budget } from "@swarm/core";
import type { OptionsOf } from "../flags.ts";
import { usageError } from "../parse-command-line.ts";

type LimitFlag = "max-calls" | "max-tokens" | "max-usd" | "timeout";

const LIMITS: Record<LimitFlag, { budget: keyof Budget; factor: number; whole: boolean }> = {
  "max-calls": { budget: "modelCalls", factor: 1, whole: true },
  "max-tokens": { budget: "tokens", factor: 1, whole: true },
  "max-usd": { budget: "usd", factor: 1, whole: false },
  timeout: { budget: "wallMs", factor: 1000, whole: false },
};

/** The run's limits; those that no flag gives are the task's. */
export function limitsFrom(options: Pick<OptionsOf<"run">, LimitFlag>): Partial<Budget> {
  const limits: Partial<Budget> = {};
  for (const [flag, { budget, factor, whole }] of Object.entries(LIMITS) as [LimitFlag, (typeof LIMITS)[LimitFlag]][]) {
    const text = options[flag];
    if (text === undefined) continue;
    const number = numberAbove0(`--${flag}`, text, whole);
    limits[budget] = number * factor;
  }
  return limits;
}

/** A flag's value as a whole number within a range. Throws for another one. */
export function wholeNumber(flag: string, text: string, { min, max }: { min: number; max: number }): number {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw usageError(flag, `has to be a whole number from ${min} to ${max}, and is ${JSON.stringify(text)}`);
}

/** A flag's value as a number above 0. Throws for another one. */
export function numberAbove0(flag: string, text: string, whole: boolean): number {
  const number = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
  if (number > 0 && Number.isFinite(number) && (!whole || Number.isSafeInteger(number))) return number;
  throw usageError(flag, `has to be a ${whole ? "whole " : ""}number above 0, and is ${JSON.stringify(text)}`);
}
