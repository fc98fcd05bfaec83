import type { Variant } from "../contracts/step.ts";
import type { Team } from "../contracts/team.ts";
import { didYouMean } from "../did-you-mean.ts";
import { InvalidInputError } from "../errors.ts";

/** Throws for a variant of a role that the team has not, or of a model that the role has not. `field` names the variant. */
export function checkVariant(variant: Variant | undefined, { roles }: Pick<Team, "roles">, field: string): void {
  for (const [name, { model }] of Object.entries(variant?.roles ?? {})) {
    const role = Object.hasOwn(roles, name) ? roles[name] : undefined;
    const names = Object.keys(roles);
    if (!role) {
      const known = didYouMean(name, names) || `; the roles are ${names.join(", ")}`;
      throw new InvalidInputError(`${field}.roles.${name}`, `is no role of the team${known}`);
    }
    const models = role.models.map(({ id }) => id);
    if (model !== undefined && !models.includes(model)) {
      const problem = `${model} is no model of the role; its models are ${models.join(", ")}`;
      throw new InvalidInputError(`${field}.roles.${name}.model`, problem);
    }
  }
}
