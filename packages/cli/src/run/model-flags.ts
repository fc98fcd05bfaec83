import { CODESWARM_ROLES, type CodeswarmRole } from "@swarm/agents";
import { didYouMean } from "@swarm/core";
import { usageError } from "../parse-command-line.ts";
import type { Settings } from "../settings/settings.ts";

/** What `--model` sets: a role's model, and one for each role that it does not name. Throws for a flag that is wrong. */
export function modelFlags(given: readonly string[]): Partial<Settings> {
  const wishes = new Map<CodeswarmRole | null, string>();
  for (const text of given) {
    const { role, model } = parseWish(text);
    if (wishes.has(role)) throw usageError("--model", `${role ?? "the model of every role"} is given twice`);
    wishes.set(role, model);
  }
  const models = CODESWARM_ROLES.map((role) => [`${role}Model`, wishes.get(role) ?? wishes.get(null)] as const);
  return Object.fromEntries(models.filter(([, model]) => model !== undefined));
}

/** `coder=openai:gpt-x`, or without a role; the name behind a provider may hold colons and equals signs. */
function parseWish(text: string): { role: CodeswarmRole | null; model: string } {
  const [, name, model = ""] = /^(?:([^=:]*)=)?([^\s=:]+(?::\S+)?)$/.exec(text) ?? [];
  if (model === "") throw usageError("--model", `${JSON.stringify(text)} is not of the form [role=]<provider>:<model>`);
  if (name === undefined) return { role: null, model };
  const role = CODESWARM_ROLES.find((role) => role === name);
  if (role) return { role, model };
  const near = didYouMean(name, CODESWARM_ROLES) || `; the roles are ${CODESWARM_ROLES.join(", ")}`;
  throw usageError("--model", `${JSON.stringify(name)} is no role${near}`);
}
