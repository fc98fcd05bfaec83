import { didYouMean } from "@swarm/core";
import { usageError } from "../parse-command-line.ts";
import type { TeamRole } from "../teams/roles.ts";

export type RoleFlag = {
  /** The flag's name, without dashes. */
  name: string;
  /** What its value has to look like, in words. */
  form: string;
  /** The role in the first group, without which the value is that of every other role; the value in the second. */
  pattern: RegExp;
};

/** What a flag that may be given once for each role, and once for all others, says of each. Throws where it is wrong. */
export function roleFlags(
  { name, form, pattern }: RoleFlag,
  given: readonly string[],
  roles: readonly TeamRole[],
): Map<TeamRole, string> {
  const wishes = new Map<TeamRole | null, string>();
  for (const text of given) {
    const [, word, value] = pattern.exec(text) ?? [];
    if (value === undefined) throw usageError(`--${name}`, `${JSON.stringify(text)} is not of the form ${form}`);
    const role = word === undefined ? null : roleOf(name, word, roles);
    if (wishes.has(role)) throw usageError(`--${name}`, `${role ?? `the ${name} of every role`} is given twice`);
    wishes.set(role, value);
  }
  const values = roles.map((role) => [role, wishes.get(role) ?? wishes.get(null)] as const);
  return new Map(values.flatMap(([role, value]) => (value === undefined ? [] : [[role, value]])));
}

function roleOf(flag: string, word: string, roles: readonly TeamRole[]): TeamRole {
  const role = roles.find((role) => role === word);
  if (role) return role;
  const near = didYouMean(word, roles) || `; the roles are ${roles.join(", ")}`;
  throw usageError(`--${flag}`, `${JSON.stringify(word)} is no role${near}`);
}
