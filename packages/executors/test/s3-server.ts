import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { S3Client } from "@aws-sdk/client-s3";
import { installed } from "./installed.ts";
import { freePort } from "./worker-pool.ts";

const PACKAGE = "s3rver";
const VERSION = "3.7.1";

export type S3Server = { client: S3Client; bucket: string; stop(): Promise<void> };

/** A server that speaks S3, with its data in `directory`; or in words why there cannot be one here. */
export async function s3Server(directory: string): Promise<S3Server | string> {
  let folder: string;
  try {
    folder = await installed(PACKAGE, VERSION);
  } catch (error) {
    return `${PACKAGE}@${VERSION} could not be installed: ${String(error).split("\n")[0]}`;
  }
  const [port, bucket] = [await freePort(), "blobs"];
  const options = ["-d", directory, "-a", "127.0.0.1", "-p", `${port}`, "--configure-bucket", bucket, "--silent"];
  const server = spawn(process.execPath, [join(folder, "bin", "s3rver.js"), ...options], { stdio: "ignore" });
  const ended = once(server, "exit");
  const endpoint = `http://127.0.0.1:${port}`;
  const client = new S3Client({
    endpoint,
    region: "us-east-1",
    forcePathStyle: true,
    credentials: { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" },
    requestChecksumCalculation: "WHEN_REQUIRED",
  });
  const stop = async () => {
    client.destroy();
    server.kill("SIGKILL");
    await ended;
  };
  for (let tries = 0; tries < 300 && server.exitCode === null; tries++) {
    if (await fetch(endpoint).catch(() => null)) return { client, bucket, stop };
    await setTimeout(100);
  }
  await stop();
  return `${PACKAGE}@${VERSION} is installed, and its server does not start`;
}
