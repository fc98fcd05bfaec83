// Runs each provider whose key is set over three easy tasks: `npm run test:live`. It costs money, says how much at most before
// the first call, and is no part of `npm test`. With REQUIRE_LIVE=1 a provider without a key is a failure, not a skip.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { codeswarm } from "@swarm/agents";
import { fileLogStore, type LLMClient, messageOf, runTask } from "@swarm/core";
import { modelOf } from "@swarm/llm/models";
import { localSandbox } from "@swarm/sandbox";
import { loadTask } from "@swarm/tasks";

const TASKS = ["duration-format", "page-window", "linked-list"];

/** A small, current model of each provider; `LIVE_MODEL_ANTHROPIC` and the like name another. */
const MODELS: Readonly<Record<string, { model: string; key: string }>> = {
  anthropic: { model: "claude-sonnet-5-5", key: "ANTHROPIC_API_KEY" },
  openai: { model: "gpt-5-mini", key: "OPENAI_API_KEY" },
  openrouter: { model: "anthropic/claude-sonnet-4.5", key: "OPENROUTER_API_KEY" },
  gemini: { model: "gemini-2.5-flash", key: "GEMINI_API_KEY" },
};

/** What one task may spend. */
const LIMITS = { modelCalls: 40, tokens: 400_000, wallMs: 10 * 60_000 };

const { env } = process;
type Live = { client: LLMClient; secret: string };
const providers = await Promise.all(Object.entries(MODELS).map(([provider, one]) => liveOf(provider, one)));
const live = providers.filter((one) => one !== null);
const skipped = (providers.length - live.length) * TASKS.length;
for (const { client } of live) console.log(`${client.id}: ${TASKS.length} tasks, ${mostCost(client)}`);

let passed = 0;
let failed = 0;
for (const { client, secret } of live) {
  console.log(`${client.id}:`);
  for (const id of TASKS)
    if (await solves(id, client, secret).catch(told)) passed++;
    else failed++;
}
if (env["REQUIRE_LIVE"] === "1") failed += skipped;
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = failed > 0 ? 1 : 0;

/** A provider's model, or null where its key is not set. */
async function liveOf(provider: string, { model, key }: { model: string; key: string }): Promise<Live | null> {
  const secret = env[key];
  if (!secret) {
    console.log(`${provider}: skipped, ${key} is not set`);
    return null;
  }
  const name = env[`LIVE_MODEL_${provider.toUpperCase()}`] ?? model;
  return { client: await modelOf(`${provider}:${name}`, { env }), secret };
}

/** What kept a task from being tried is a failure like any other. */
function told(error: unknown): false {
  console.log(`  ${messageOf(error)}`);
  return false;
}

function mostCost({ price }: LLMClient): string {
  if (!price) return `at most ${LIMITS.tokens * TASKS.length} tokens; their price is not known`;
  const dollars = (LIMITS.tokens * TASKS.length * Math.max(price.input, price.output)) / 1e6;
  return `at most $${dollars.toFixed(2)} (${price.source ?? "by its price"}); usually a tenth of that`;
}

async function solves(id: string, model: LLMClient, secret: string): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "swarm-live-"));
  try {
    const { task } = await loadTask(id);
    const { verdict, usage, failureSignature } = await runTask(task, {
      team: codeswarm({ model }),
      limits: LIMITS,
      secrets: [secret],
      store: fileLogStore(folder),
      sandbox: localSandbox({ store: join(folder, "objects") }),
    });
    const cost = usage.usd === null ? `${usage.input + usage.output} tokens` : `$${usage.usd.toFixed(4)}`;
    console.log(
      `  ${id}: ${verdict.outcome}, ${usage.modelCalls} calls, ${cost}${failureSignature ? `, ${failureSignature}` : ""}`,
    );
    if (!verdict.passed) console.log(verdict.reasons.map((reason) => `    ${reason}`).join("\n"));
    return verdict.passed;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
