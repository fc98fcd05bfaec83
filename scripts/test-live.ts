// Runs each provider whose key is set over three easy tasks: `npm run test:live`. It costs money, says how much at most before
// it begins, and is no part of `npm test`. With REQUIRE_LIVE=1 a provider without a key is a failure, not a skip.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { codeswarm } from "@swarm/agents";
import { fileLogStore, type LLMClient, runTask } from "@swarm/core";
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
let passed = 0;
let failed = 0;
let skipped = 0;

for (const [provider, { model, key }] of Object.entries(MODELS)) {
  const secret = env[key];
  if (!secret) {
    console.log(`${provider}: skipped, ${key} is not set`);
    skipped += TASKS.length;
    continue;
  }
  const client = await modelOf(`${provider}:${env[`LIVE_MODEL_${provider.toUpperCase()}`] ?? model}`, { env });
  console.log(`${client.id}: ${TASKS.length} tasks, ${mostCost(client)}`);
  for (const id of TASKS)
    if (await solves(id, client, secret)) passed++;
    else failed++;
}
if (env["REQUIRE_LIVE"] === "1") failed += skipped;
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = failed > 0 ? 1 : 0;

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
