import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { connect } from "node:net";
import { delimiter, join } from "node:path";
import { SwarmError } from "@swarm/core";
import { Child } from "./child.ts";
import { portFrom } from "./port.ts";
import type { Server, ServerPlace } from "./server.ts";

const PROGRAM = "redis-server";

/** Throws where there is no Redis. */
export function requireRedis({ env }: Pick<ServerPlace, "env">): void {
  const found = (env["PATH"] ?? "").split(delimiter).some((folder) => isProgram(join(folder, PROGRAM)));
  if (found) return;
  const way = "apt-get install redis-server (Debian, Ubuntu) or brew install redis (macOS)";
  throw new SwarmError("SERVER_MISSING", `${PROGRAM} is not on the PATH; install it, such as by ${way}`);
}

export async function startRedis({ folder, port: wanted, env }: ServerPlace): Promise<Server> {
  const port = await portFrom(wanted, 6379);
  const flags = ["--bind", "127.0.0.1", "--dir", folder, "--save", "", "--appendonly", "yes"];
  const url = `redis://127.0.0.1:${port}`;
  return {
    name: "Redis",
    child: new Child(PROGRAM, ["--port", String(port), ...flags], { cwd: folder, env }),
    url,
    also: {},
    workerFlags: ["--by", "bullmq", "--redis", url],
    answers: () => answers(port),
    async register() {}, // they take steps by themselves
    close() {},
  };
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    socket.end("PING\r\n");
    const [answer] = await once(socket, "data");
    return String(answer).startsWith("+PONG");
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
