import type { Executor, TeamRef } from "@swarm/core";
import type { RemoteOptions } from "@swarm/executors";
import type { IsolationChoice } from "@swarm/sandbox";
import { EXECUTORS, PLATFORMS } from "../flags/elsewhere.ts";
import type { OptionsOf } from "../flags.ts";
import type { CliIO } from "../io.ts";
import { oneOf } from "../one-of.ts";
import { usageError } from "../parse-command-line.ts";
import { guardOptions } from "../settings/policy.ts";
import type { Settings } from "../settings/settings.ts";
import { addressFrom } from "../worker/address.ts";
import { processEnvironment, TEAM_MODULE } from "../worker/process-environment.ts";
import type { SharedOptions } from "./shared.ts";

type Options = SharedOptions & Pick<OptionsOf<"run">, "executor" | "executor-url" | "gate" | "gate-url">;

/** Where steps run, if not here. Who has it closes it. */
export type Elsewhere = Executor & { close(): Promise<void> };

/** Where each is that was not told where to be. */
export const DEFAULT_URL = {
  http: "http://127.0.0.1:7117",
  bullmq: "redis://127.0.0.1:6379",
  restate: "http://127.0.0.1:8080",
};

/** Where steps run: null is this process. Opens nothing yet. `store` and `isolation` are those of the run's sandbox. */
export async function executorFrom(
  options: Options,
  settings: Settings,
  { store, isolation, io }: { store: string; isolation: IsolationChoice; io: CliIO },
): Promise<Elsewhere | null> {
  const where = oneOf("--executor", options.executor, EXECUTORS);
  if (where === "local" || where === "process") {
    refuseAddresses(options);
    if (where === "local") return null;
    const { ProcessExecutor } = await import("@swarm/executors");
    const env = processEnvironment({ options, settings, store, isolation, cwd: io.cwd }, io.env);
    return new ProcessExecutor({ module: TEAM_MODULE, env, guard: guardOptions(settings) });
  }
  const urls = options["executor-url"].length > 0 ? options["executor-url"] : [DEFAULT_URL[where]];
  for (const url of urls) requireUrl("--executor-url", url);
  const remote = { guard: guardOptions(settings), gate: gateFrom(options, settings) };
  if (where === "http") {
    const { workerToken } = settings;
    const { httpExecutor } = await import("@swarm/executors");
    const token = workerToken === null ? {} : { token: workerToken };
    return httpExecutor({ workers: urls.map((url) => ({ url, ...token })), ...remote });
  }
  const [url = "", other] = urls;
  if (other !== undefined) throw usageError("--executor-url", `may be repeated for --executor http only`);
  if (where === "bullmq") {
    const { bullmqExecutor } = await import("@swarm/executors/bullmq");
    return bullmqExecutor({ connection: { url }, ...remote });
  }
  const { restateExecutor } = await import("@swarm/executors/restate");
  return restateExecutor({ url, ...remote });
}

/** Rejects where no step of a team could be performed. A run that begins looks by itself; one that goes on, or many, would find out too late. */
export async function requireThere(elsewhere: Elsewhere | null, { name, version, config }: TeamRef): Promise<void> {
  try {
    await elsewhere?.preflight?.({ name, version, config }, { signal: new AbortController().signal });
  } catch (error) {
    await elsewhere?.close();
    throw error;
  }
}

function refuseAddresses(options: Options): void {
  const given = (["executor-url", "gate", "gate-url"] as const).find((name) => (options[name]?.length ?? 0) > 0);
  if (given) throw usageError(`--${given}`, `goes with --executor ${PLATFORMS.join(", ")}`);
}

function gateFrom(options: Options, { gate, gateUrl }: Settings): NonNullable<RemoteOptions["gate"]> {
  const field = (flag: "gate" | "gate-url", variable: string) => (options[flag] === undefined ? variable : `--${flag}`);
  if (gateUrl !== null) requireUrl(field("gate-url", "SWARM_GATE_URL"), gateUrl);
  return {
    ...(gate === null ? {} : addressFrom(field("gate", "SWARM_GATE"), gate)),
    ...(gateUrl === null ? {} : { url: gateUrl }),
  };
}

function requireUrl(field: string, url: string): void {
  if (!URL.canParse(url)) throw usageError(field, `${JSON.stringify(url)} is no URL`);
}
