import { BY_ARGUMENT, REFUSED } from "../../src/isolation/seccomp/policy.ts";

/** The number of a system call on this machine. */
export function systemCall(name: string): number {
  const all = Object.assign({}, ...REFUSED.map(({ calls }) => calls));
  const numbers = all[name] ?? BY_ARGUMENT[name]?.call;
  return numbers[process.arch === "x64" ? 0 : 1];
}
