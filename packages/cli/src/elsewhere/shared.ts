import { resolve } from "node:path";
import type { Blobs } from "@swarm/core";
import { directoryBlobs } from "@swarm/sandbox";
import type { OptionsOf } from "../flags.ts";
import { usageError } from "../parse-command-line.ts";
import type { Settings } from "../settings/settings.ts";

export type SharedOptions = Pick<OptionsOf<"worker">, "shared" | "s3-endpoint" | "s3-region">;

/** The store that machines share, as an option of a sandbox. Opens nothing yet. */
export async function sharedFrom(
  options: SharedOptions,
  { shared }: Pick<Settings, "shared">,
  cwd: string,
): Promise<{ shared?: Blobs }> {
  const { "s3-endpoint": endpoint, "s3-region": region } = options;
  if (!shared?.startsWith("s3://")) {
    const given = endpoint === undefined ? (region === undefined ? null : "--s3-region") : "--s3-endpoint";
    if (given) throw usageError(given, "goes with --shared s3://<bucket>");
    return shared === null ? {} : { shared: directoryBlobs(resolve(cwd, shared)) };
  }
  const [, bucket, folder = ""] = /^s3:\/\/([^/]+)(?:\/(.*?)\/?)?$/.exec(shared) ?? [];
  const field = options.shared === undefined ? "SWARM_SHARED" : "--shared";
  if (bucket === undefined)
    throw usageError(field, `has to be a folder or s3://<bucket>/<prefix>, and is ${JSON.stringify(shared)}`);
  if (endpoint !== undefined && !URL.canParse(endpoint))
    throw usageError("--s3-endpoint", `${JSON.stringify(endpoint)} is no URL`);
  const { s3Blobs, s3Client } = await import("@swarm/executors/s3");
  const client = await s3Client({
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(region === undefined ? {} : { region }),
  });
  return { shared: s3Blobs({ client, bucket, prefix: folder === "" ? "" : `${folder}/` }) };
}
