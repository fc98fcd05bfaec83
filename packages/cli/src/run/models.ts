import { CODESWARM_ROLES, type CodeswarmRole } from "@swarm/agents";
import { InvalidInputError, type LLMClient, SwarmError } from "@swarm/core";
import { modelOf } from "@swarm/llm/models";
import { providerEnvironment } from "../settings/policy.ts";
import { secretsOf } from "../settings/secrets.ts";
import type { Settings } from "../settings/settings.ts";

type Models = { model: LLMClient; models: Record<CodeswarmRole, LLMClient> };
export type ModelOptions = {
  /** Where answers that may be cached are kept. */
  cacheDirectory: string;
  /** What set a role's model: what is at fault where that is no model. */
  setBy(role: CodeswarmRole): string;
};

/**
 * The model of each role; roles with the same one share its client. Throws an {@link InvalidInputError} that tells of every
 * model that cannot be called, such as for a missing key, and of the roles that need it. Asks no model anything.
 */
export async function modelsFor(settings: Settings, { cacheDirectory, setBy }: ModelOptions): Promise<Models> {
  const env = providerEnvironment(settings);
  const cache = { directory: cacheDirectory, ttlSeconds: settings.cacheTtlS, secrets: secretsOf(settings) };
  const models: Partial<Record<CodeswarmRole, LLMClient>> = {};
  const problems: Problem[] = [];
  for (const [id, roles] of Map.groupBy(CODESWARM_ROLES, (role) => settings[`${role}Model`])) {
    try {
      const client = await modelOf(id, { env, cache });
      await client.preflight?.();
      for (const role of roles) models[role] = client;
    } catch (error) {
      if (!(error instanceof SwarmError)) throw error;
      problems.push({ error, ...toldFor(error, id, roles, setBy) });
    }
  }
  if (problems.length > 0) throw cannotBeCalled(problems);
  const { planner, coder, tester, reviewer } = models as Models["models"];
  return { model: planner, models: { planner, coder, tester, reviewer } };
}

type Problem = { error: SwarmError; field: string; message: string };

/** An error of a model as one of the setting that names the model, or of the variable that it lacks. */
function toldFor(error: SwarmError, id: string, roles: CodeswarmRole[], setBy: ModelOptions["setBy"]) {
  const own = error instanceof InvalidInputError ? error.field : "model";
  const field = own === "model" ? [...new Set(roles.map(setBy))].join(", ") : own;
  const what = error.message.replace(`${own}: `, "");
  return { field, message: `${what} (${id}, the model of ${roles.join(", ")})` };
}

function cannotBeCalled(problems: readonly Problem[]): InvalidInputError {
  const [first, ...others] = problems as [Problem];
  const told = [first.message, ...others.map(({ field, message }) => `${field}: ${message}`)];
  const help = problems.some(({ error }) => error.code === "MISSING_KEY")
    ? "; set it, or use --mock, which needs no key"
    : "";
  return new InvalidInputError(first.field, `${told.join("; ")}${help}`, {
    code: first.error.code,
    cause: first.error,
  });
}
