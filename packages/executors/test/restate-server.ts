import { spawn } from "node:child_process";
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { installed } from "./installed.ts";
import { freePort } from "./worker-pool.ts";

const PACKAGE = "@restatedev/restate-server-linux-x64";
const VERSION = "1.7.12";

export type RestateServer = {
  url: string;
  /** Its public key: workers that are not on loopback want to know it. */
  identityKey: string;
  /** Tells the server where workers are reached. */
  register(worker: string): Promise<void>;
  kill(): Promise<void>;
  start(): Promise<void>;
};

/** A Restate server of its own, with its data in `directory`; or in words why there cannot be one here. */
export async function restateServer(directory: string): Promise<RestateServer | string> {
  if (process.platform !== "linux" || process.arch !== "x64") return `${PACKAGE} is for Linux on x64 only`;
  let folder: string;
  try {
    folder = await installed(PACKAGE, VERSION); // 216 MB
  } catch (error) {
    return `${PACKAGE}@${VERSION} could not be installed: ${String(error).split("\n")[0]}`;
  }
  const keys = generateKeyPairSync("ed25519");
  const keyFile = join(directory, "identity.pem");
  writeFileSync(keyFile, keys.privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
  const [ingress, admin, node] = [await freePort(), await freePort(), await freePort()];
  const env = {
    PATH: process.env["PATH"],
    RESTATE_BASE_DIR: directory,
    TMPDIR: directory,
    RESTATE_DISABLE_TELEMETRY: "true",
    DO_NOT_TRACK: "1",
    RESTATE_LISTEN_MODE: "tcp",
    RESTATE_BIND_IP: "127.0.0.1",
    RESTATE_BIND_PORT: `${node}`,
    RESTATE_NODE_NAME: "tests",
    RESTATE_LOG_FILTER: "warn",
    RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: "128MB",
    RESTATE_DEFAULT_NUM_PARTITIONS: "4",
    RESTATE_REQUEST_IDENTITY_PRIVATE_KEY_PEM_FILE: keyFile,
    RESTATE_ADMIN__DISABLE_WEB_UI: "true",
    RESTATE_ADMIN__BIND_PORT: `${admin}`,
    RESTATE_INGRESS__BIND_PORT: `${ingress}`,
    RESTATE_WORKER__INVOKER__HTTP2_KEEP_ALIVE_INTERVAL: "1s",
    RESTATE_WORKER__INVOKER__HTTP2_KEEP_ALIVE_TIMEOUT: "1s",
  };
  const program = join(folder, "bin", "restate-server");
  const launch = () => spawn(program, ["--no-logo"], { env, cwd: directory, stdio: "ignore" });
  let server = launch();
  async function answers(): Promise<boolean> {
    for (let tries = 0; tries < 600 && server.exitCode === null; tries++) {
      const [health, open] = await Promise.all(
        [`http://127.0.0.1:${admin}/health`, `http://127.0.0.1:${ingress}/restate/health`].map((url) =>
          fetch(url).then(
            ({ ok }) => ok,
            () => false,
          ),
        ),
      );
      if (health && open) return true;
      await setTimeout(50);
    }
    return false;
  }
  async function kill(): Promise<void> {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, "exit");
    server.kill("SIGKILL");
    await ended;
  }
  if (!(await answers())) {
    await kill();
    return `${PACKAGE}@${VERSION} is installed, and its server does not start`;
  }
  return {
    url: `http://127.0.0.1:${ingress}`,
    identityKey: publicKeyOf(keys.publicKey),
    async register(worker) {
      const answer = await fetch(`http://127.0.0.1:${admin}/deployments`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ uri: worker, force: true }),
      });
      if (!answer.ok) throw new Error(`Restate does not take the worker at ${worker}: ${await answer.text()}`);
    },
    kill,
    async start() {
      server = launch();
      await answers();
    },
  };
}

const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/** As Restate writes it: the key's 32 bytes in base 58. */
function publicKeyOf(key: KeyObject): string {
  const bytes = Buffer.from(key.export({ format: "jwk" }).x!, "base64url");
  let text = "";
  for (let rest = BigInt(`0x${bytes.toString("hex")}`); rest > 0n; rest /= 58n)
    text = BASE58[Number(rest % 58n)] + text;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return `publickeyv1_${BASE58[0]!.repeat(zeros)}${text}`;
}
