import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { messageOf, SwarmError } from "@swarm/core";
import { type Balancer, balance } from "./balancer.ts";
import { Child } from "./child.ts";
import { freePort, portFrom } from "./port.ts";
import type { Server, ServerPlace } from "./server.ts";

const PACKAGE = "@restatedev/restate-server";
const ANSWER_MS = 2_000;

/** Throws where the Restate server is not installed. */
export function requireRestate({ cwd }: Pick<ServerPlace, "cwd">): string {
  const program = `${PACKAGE}-${process.platform}-${process.arch}/bin/restate-server`;
  for (const from of [join(cwd, "package.json"), import.meta.url]) {
    const wrapper = resolved(from, `${PACKAGE}/package.json`);
    const found = resolved(from, program) ?? (wrapper && resolved(wrapper, program));
    if (found) return found;
  }
  const way = `npm install --ignore-scripts ${PACKAGE} @restatedev/restate-sdk`;
  throw new SwarmError("SERVER_MISSING", `the Restate server is not installed; install it here by ${way}`);
}

/** Its workers are behind one address, since it gives steps to the one alone that it was told of last. */
export async function startRestate({ folder, port: wanted, cwd, env }: ServerPlace): Promise<Server> {
  const ingress = await portFrom(wanted, 8080);
  const [admin, node] = [await freePort(), await freePort()];
  let balancer: Balancer | null = null;
  const temporary = join(folder, "tmp"); // it leaves files there
  mkdirSync(temporary);
  const own = {
    PATH: env["PATH"],
    TMPDIR: temporary,
    DO_NOT_TRACK: "1",
    RESTATE_DISABLE_TELEMETRY: "true",
    RESTATE_BASE_DIR: folder,
    RESTATE_NODE_NAME: "swarm-up",
    RESTATE_LOG_FILTER: "warn",
    RESTATE_LISTEN_MODE: "tcp",
    RESTATE_BIND_IP: "127.0.0.1",
    RESTATE_BIND_PORT: String(node),
    RESTATE_ADMIN__BIND_PORT: String(admin),
    RESTATE_INGRESS__BIND_PORT: String(ingress),
    RESTATE_DEFAULT_NUM_PARTITIONS: "4",
    RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: "128MB",
    RESTATE_WORKER__INVOKER__HTTP2_KEEP_ALIVE_INTERVAL: "2s",
    RESTATE_WORKER__INVOKER__HTTP2_KEEP_ALIVE_TIMEOUT: "2s",
  };
  const address = (port: number) => `http://127.0.0.1:${port}`;
  return {
    name: "Restate",
    child: new Child(requireRestate({ cwd }), ["--no-logo"], { cwd: folder, env: own }),
    url: address(ingress),
    also: { admin: address(admin) },
    workerFlags: ["--by", "restate", "--listen", "127.0.0.1:0"],
    async answers() {
      const health = [`${address(admin)}/health`, `${address(ingress)}/restate/health`];
      return (await Promise.all(health.map(isWell))).every(Boolean);
    },
    async register(urls) {
      balancer = await balance(urls);
      await register(address(admin), address(balancer.port));
    },
    close: () => balancer?.close(),
  };
}

async function register(admin: string, worker: string): Promise<void> {
  const answer = await fetch(`${admin}/deployments`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ uri: worker, force: true }),
  }).catch((error) => messageOf(error));
  if (typeof answer !== "string" && answer.ok) return;
  const problem = typeof answer === "string" ? answer : await answer.text();
  throw new SwarmError("PLATFORM_FAILED", `Restate does not take the workers at ${worker}: ${problem}`);
}

function isWell(url: string): Promise<boolean> {
  return fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) }).then(
    ({ ok }) => ok,
    () => false,
  );
}

function resolved(from: string, path: string): string | null {
  try {
    return createRequire(from).resolve(path);
  } catch {
    return null;
  }
}
