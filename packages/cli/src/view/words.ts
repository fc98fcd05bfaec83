import type { Tokens, Trajectory, Usage } from "@swarm/core";

/** `1 test`, `2 tests`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${formatted(number)} ${number === 1 ? one : many}`;
}

export function formatted(number: number): string {
  return number.toLocaleString("en-US");
}

export function seconds(ms: number): string {
  const tenths = Math.round(ms / 100) / 10;
  if (tenths < 60) return `${tenths.toFixed(1)} s`;
  const whole = Math.round(ms / 1000);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

export function tokensInWords({ input, output, cacheRead, cacheWrite }: Tokens): string {
  const cached = cacheRead + cacheWrite;
  const parts = [
    `${formatted(input)} in`,
    `${formatted(output)} out`,
    ...(cached > 0 ? [`${formatted(cached)} cached`] : []),
  ];
  return parts.join(", ");
}

/** Dollars with as many digits as small sums need. */
export function dollars(usd: Usage["usd"]): string {
  if (usd === null) return "not known: a model that was called has no price here";
  return `$${usd.toFixed(usd > 0 && usd < 1 ? 4 : 2)}`;
}

const STATES: Record<Trajectory["state"]["label"], string> = {
  final: "the final state",
  best: "the best state that its tests saw, which is no solution",
  untested: "the state as it was left: no test ran",
};

/** Which state of a run's files is handed over. */
export function stateInWords(label: Trajectory["state"]["label"]): string {
  return STATES[label];
}
