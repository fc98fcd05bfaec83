import type { Team } from "./contracts/team.ts";
import { InvalidInputError } from "./errors.ts";

/** What every provider takes as the name of a tool. */
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * The team as it is, when nothing about it would fail in the middle of a run: two tools of one role with the same name, a
 * tool name that providers refuse, two programs with the same name. Every run begins with this look. Throws an
 * {@link InvalidInputError}.
 */
export function defineTeam(team: Team): Team {
  for (const [role, { tools }] of Object.entries(team.roles)) {
    const names = tools.map((tool) => tool.name);
    for (const name of names) {
      if (!TOOL_NAME.test(name)) {
        throw new InvalidInputError(
          `team.roles.${role}.tools`,
          `${JSON.stringify(name)} is no tool name; use 1 to 64 letters, digits, _ and -`,
        );
      }
    }
    refuseTwice(`team.roles.${role}.tools`, names);
  }
  refuseTwice(
    "team.programs",
    team.programs.map((program) => program.name),
  );
  return team;
}

function refuseTwice(field: string, names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new InvalidInputError(field, `${JSON.stringify(twice)} is there twice; each needs a name of its own`);
}
