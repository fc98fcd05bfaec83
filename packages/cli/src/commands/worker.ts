import { join, resolve } from "node:path";
import { createWorker, listen, type Worker } from "@swarm/executors";
import { serveBullmq } from "@swarm/executors/bullmq";
import { serveRestate } from "@swarm/executors/restate";
import { builtInRunners, probeRunners } from "@swarm/oracle";
import { localSandbox } from "@swarm/sandbox";
import { asUsage } from "../as-usage.ts";
import { elsewhereSettings } from "../elsewhere/settings.ts";
import { sharedFrom } from "../elsewhere/shared.ts";
import { EXIT } from "../exit-codes.ts";
import { PLATFORMS } from "../flags/elsewhere.ts";
import type { OptionsOf } from "../flags.ts";
import type { CliIO } from "../io.ts";
import { ISOLATIONS, oneOf } from "../one-of.ts";
import { requireWritable } from "../require-writable.ts";
import { InterruptWatch } from "../run/interrupt.ts";
import { numberAbove0 } from "../run/limits.ts";
import { cacheIn } from "../run/prepare.ts";
import { jsonText } from "../run/views.ts";
import { loadSettings } from "../settings/load-settings.ts";
import { secretsOf } from "../settings/secrets.ts";
import { addressFrom } from "../worker/address.ts";
import { knownTeams } from "../worker/known-teams.ts";

type Options = OptionsOf<"worker">;
type Open = { url: string; close(options?: { graceMs?: number }): Promise<void> };

/** `swarm worker`: performs steps until a signal comes; the first lets them come to their end, the second gives them to others. */
export async function worker(options: Options, io: CliIO): Promise<number> {
  const by = oneOf("--by", options.by, PLATFORMS);
  const concurrency = numberAbove0("--concurrency", options.concurrency, true);
  const isolation = oneOf("--isolation", options.isolation, ISOLATIONS);
  const address = addressFrom("--listen", options.listen ?? (by === "restate" ? "127.0.0.1:9080" : "127.0.0.1:7117"));
  const store = join(resolve(io.cwd, options.runs), "objects");
  requireWritable("--runs", store);
  const settings = await loadSettings(elsewhereSettings(options), io);
  const secrets = secretsOf(settings);
  const sandbox = localSandbox({ store, isolation, secrets, ...(await sharedFrom(options, settings, io.cwd)) });
  void sandbox.tier; // throws where the isolation that is required does not work

  const runners = await workingRunners(sandbox, io.cwd);
  const made = createWorker({
    teams: knownTeams(settings, { cacheDirectory: cacheIn(io.cwd), setBy: () => "team" }),
    sandbox,
    secrets,
    concurrency,
    can: { runners, languages: languagesOf(runners) },
  });
  const { redis, "identity-key": identityKeys } = options;
  const open = await start(made, by, { address, token: settings.workerToken, redis, identityKeys }).catch((error) => {
    throw asUsage(error, { token: "SWARM_WORKER_TOKEN", identityKeys: "--identity-key", port: "--listen" });
  });
  say(made, open.url, options.json, io);

  const ended = Promise.withResolvers<void>();
  const close = (graceMs?: number) =>
    open.close(graceMs === undefined ? {} : { graceMs }).then(ended.resolve, ended.reject);
  const interrupts = new InterruptWatch(
    io,
    (signal) => {
      const { running } = made.abilities();
      io.stderr.write(
        `${signal}: takes no more steps; ${running} under way, and the same again gives them to others\n`,
      );
      void close();
    },
    () => void made.drain({ graceMs: 0 }),
  );
  try {
    await ended.promise;
    return EXIT.ok;
  } finally {
    interrupts.stop();
  }
}

function start(
  made: Worker,
  by: (typeof PLATFORMS)[number],
  to: {
    address: { host: string; port: number };
    token: string | null;
    redis: string;
    identityKeys: string[];
  },
): Promise<Open> {
  if (by === "http") return listen(made, { ...to.address, ...(to.token === null ? {} : { token: to.token }) });
  if (by === "restate") return serveRestate(made, { ...to.address, identityKeys: to.identityKeys });
  return serveBullmq(made, { connection: { url: to.redis } }).then(({ close }) => ({ url: to.redis, close }));
}

async function workingRunners(sandbox: Parameters<typeof probeRunners>[0], cwd: string): Promise<string[]> {
  const probes = await probeRunners(sandbox, {
    signal: AbortSignal.timeout(120_000),
    runners: builtInRunners({ from: cwd }),
  });
  return probes.flatMap(({ name, works }) => (works ? [name] : []));
}

/** What each test runner is for. */
const LANGUAGES: Readonly<Record<string, readonly string[]>> = {
  pytest: ["python"],
  "go test": ["go"],
  "cargo test": ["rust"],
  ...Object.fromEntries(["node:test", "vitest", "jest", "mocha"].map((name) => [name, ["javascript", "typescript"]])),
};

function languagesOf(runners: readonly string[]): string[] {
  return [...new Set(runners.flatMap((name) => LANGUAGES[name] ?? []))];
}

function say(made: Worker, url: string, json: boolean, io: CliIO): void {
  const abilities = { ...made.abilities(), url };
  if (json) {
    io.stdout.write(jsonText(abilities));
    return;
  }
  const teams = abilities.teams.map(({ name, version }) => `${name} ${version}`).join(", ");
  io.stdout.write(`${made.id} serves ${teams} at ${url}\n`);
  const [runners, languages] = [abilities.runners, abilities.languages].map((names) => names.join(", ") || "none");
  io.stdout.write(`isolation: ${abilities.tier}; test runners: ${runners}; languages: ${languages}\n`);
}
