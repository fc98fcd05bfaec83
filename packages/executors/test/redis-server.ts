import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout } from "node:timers/promises";
import { freePort } from "./worker-pool.ts";

export type RedisServer = { url: string; kill(): Promise<void>; start(): Promise<void> };

/** A Redis server of its own, with its data in `directory`; or in words why there cannot be one here. */
export async function redisServer(directory: string): Promise<RedisServer | string> {
  if (spawnSync("redis-server", ["--version"]).error) return "there is no redis-server (Debian's package redis-server)";
  const port = await freePort();
  const options = ["--port", `${port}`, "--bind", "127.0.0.1", "--dir", directory, "--save", "", "--appendonly", "yes"];
  let server = spawn("redis-server", options, { stdio: "ignore" });
  const answers = async () => {
    for (let tries = 0; tries < 300; tries++) {
      const socket = connect(port, "127.0.0.1");
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
    url: `redis://127.0.0.1:${port}`,
    async kill() {
      const ended = once(server, "exit");
      server.kill("SIGKILL");
      await ended;
    },
    async start() {
      server = spawn("redis-server", options, { stdio: "ignore" });
      await answers();
    },
  };
}
