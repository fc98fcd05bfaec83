import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout } from "node:timers/promises";
import { freePort } from "./worker-pool.ts";

export type RedisServer = {
  url: string;
  kill(): Promise<void>;
  start(): Promise<void>;
  /** What it holds. */
  keys(): string[];
};

/** A Redis server of its own, with its data in `directory`; or in words why there cannot be one here. */
export async function redisServer(directory: string, host = "127.0.0.1"): Promise<RedisServer | string> {
  if (spawnSync("redis-server", ["--version"]).error) return "there is no redis-server (Debian's package redis-server)";
  const port = await freePort();
  const options = [
    "--port",
    `${port}`,
    "--bind",
    host,
    "--protected-mode",
    "no",
    "--dir",
    directory,
    "--save",
    "",
    "--appendonly",
    "yes",
  ];
  let server = spawn("redis-server", options, { stdio: "ignore" });
  const answers = async () => {
    for (let tries = 0; tries < 300; tries++) {
      const socket = connect(port, host);
      const up = await Promise.race([
        once(socket, "connect").then(() => true),
        once(socket, "error").then(() => false),
      ]).catch(() => false);
      socket.destroy();
      if (up) return;
      await setTimeout(50);
    }
    throw new Error("redis-server does not answer");
  };
  await answers();
  return {
    url: `redis://${host}:${port}`,
    async kill() {
      if (server.exitCode !== null || server.signalCode !== null) return;
      const ended = once(server, "exit");
      server.kill("SIGKILL");
      await ended;
    },
    async start() {
      server = spawn("redis-server", options, { stdio: "ignore" });
      await answers();
    },
    keys() {
      const { stdout } = spawnSync("redis-cli", ["-h", host, "-p", `${port}`, "--scan"], { encoding: "utf8" });
      return stdout.split("\n").filter(Boolean);
    },
  };
}
