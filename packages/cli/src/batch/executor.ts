import type { RemoteExecutor } from "@swarm/executors";
import { PLATFORMS } from "../flags/running.ts";
import type { OptionsOf } from "../flags.ts";
import type { CliIO } from "../io.ts";
import { oneOf } from "../one-of.ts";
import { usageError } from "../parse-command-line.ts";

const DEFAULT_URL = {
  http: "http://127.0.0.1:7117",
  bullmq: "redis://127.0.0.1:6379",
  restate: "http://127.0.0.1:8080",
};

/** Where steps run: null is this process. Opens nothing yet. */
export async function executorFrom(
  options: Pick<OptionsOf<"batch">, "executor" | "executor-url">,
  env: CliIO["env"],
): Promise<RemoteExecutor | null> {
  const where = oneOf("--executor", options.executor, ["local", ...PLATFORMS]);
  const given = options["executor-url"];
  if (where === "local") {
    if (given.length > 0) throw usageError("--executor-url", `goes with --executor ${PLATFORMS.join(", ")}`);
    return null;
  }
  const urls = given.length > 0 ? given : [DEFAULT_URL[where]];
  for (const url of urls)
    if (!URL.canParse(url)) throw usageError("--executor-url", `${JSON.stringify(url)} is no URL`);
  if (where === "http") {
    const token = env["SWARM_WORKER_TOKEN"];
    const { httpExecutor } = await import("@swarm/executors");
    return httpExecutor({ workers: urls.map((url) => ({ url, ...(token === undefined ? {} : { token }) })) });
  }
  const [url = "", other] = urls;
  if (other !== undefined) throw usageError("--executor-url", `may be repeated for --executor http only`);
  if (where === "bullmq") {
    const { bullmqExecutor } = await import("@swarm/executors/bullmq");
    return bullmqExecutor({ connection: { url } });
  }
  const { restateExecutor } = await import("@swarm/executors/restate");
  return restateExecutor({ url });
}
