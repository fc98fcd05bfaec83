import { CODESWARM_ROLES, type CodeswarmRole } from "@swarm/agents";
import { didYouMean, type LLMClient, messageOf } from "@swarm/core";
import { DEFAULT_MODEL } from "../flags.ts";
import type { CliIO } from "../io.ts";
import { usageError } from "../parse-command-line.ts";
import { accessTo, PROVIDERS } from "./providers.ts";

type Wish = { role: CodeswarmRole | null; provider: string; model: string };

/**
 * The models that `--model` names: one of each role, and one for those without. Throws an {@link InvalidInputError} that
 * says what is wrong with a wish, or which key is missing; makes no request.
 */
export async function chooseModels(
  given: readonly string[],
  env: CliIO["env"],
): Promise<{ model: LLMClient; models: Partial<Record<CodeswarmRole, LLMClient>> }> {
  const wishes = new Map<CodeswarmRole | null, Wish>();
  for (const text of given) {
    const wish = parseWish(text);
    if (wishes.has(wish.role)) throw usageError("--model", `${wish.role ?? "the model of every role"} is given twice`);
    wishes.set(wish.role, wish);
  }
  const common = wishes.get(null) ?? parseWish(DEFAULT_MODEL);
  const made = new Map<string, LLMClient>();
  const clientOf = async ({ provider, model }: Wish) => {
    const id = `${provider}:${model}`;
    const client = made.get(id) ?? (await connect(provider, model, env));
    made.set(id, client);
    return client;
  };
  const models: Partial<Record<CodeswarmRole, LLMClient>> = {};
  for (const role of CODESWARM_ROLES) models[role] = await clientOf(wishes.get(role) ?? common);
  return { model: models.planner!, models };
}

/** `coder=openai:gpt-x`, or without a role; a model's own name may hold colons and equals signs. */
function parseWish(text: string): Wish {
  const match = /^(?:([^=:]*)=)?([^=:]*):(.+)$/.exec(text);
  const [, role, provider = "", model = ""] = match ?? [];
  if (!match || provider === "")
    throw usageError("--model", `${JSON.stringify(text)} is not of the form [role=]<provider>:<model>`);
  if (!Object.hasOwn(PROVIDERS, provider)) {
    const names = Object.keys(PROVIDERS);
    const near = didYouMean(provider, names) || `; the providers are ${names.join(", ")}`;
    throw usageError("--model", `${JSON.stringify(provider)} is no provider${near}`);
  }
  if (role === undefined) return { role: null, provider, model };
  const known = CODESWARM_ROLES.find((name) => name === role);
  if (known) return { role: known, provider, model };
  const near = didYouMean(role, CODESWARM_ROLES) || `; the roles are ${CODESWARM_ROLES.join(", ")}`;
  throw usageError("--model", `${JSON.stringify(role)} is no role${near}`);
}

async function connect(name: string, model: string, env: CliIO["env"]): Promise<LLMClient> {
  const provider = PROVIDERS[name]!;
  const access = accessTo(name, provider, env);
  try {
    return await provider.connect(name, model, access);
  } catch (error) {
    const sdk = name === "anthropic" ? "@anthropic-ai/sdk" : "openai";
    const isMissing = (error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND";
    if (!isMissing || !messageOf(error).includes(`'${sdk}'`)) throw error;
    throw usageError("--model", `${name} needs the package ${sdk}, which is not installed: npm install ${sdk}`);
  }
}
