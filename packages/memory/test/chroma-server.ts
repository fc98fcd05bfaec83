import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";

/** The newest binding whose server runs with the C library of Debian 12. */
const BINDING = "chromadb-js-bindings-linux-x64-gnu";
const VERSION = "1.0.5";
/** 417 MB, so that it is installed once a machine, apart from this repository's own dependencies. */
const HOME = join(tmpdir(), `${BINDING}-${VERSION}`);

export type ChromaServer = { url: string; stop(): Promise<void> };

/** A Chroma server of its own, with its data in `directory`; or in words why there cannot be one here. */
export async function chromaServer(directory: string): Promise<ChromaServer | string> {
  if (process.platform !== "linux" || process.arch !== "x64") return `${BINDING} is for Linux on x64 only`;
  try {
    await install();
  } catch (error) {
    return `${BINDING}@${VERSION} could not be installed: ${String(error).split("\n")[0]}`;
  }
  const port = await freePort();
  const program = `require("${BINDING}").cli(["chroma", "run", "--host", "127.0.0.1", "--port", "${port}", "--path", process.argv[1]])`;
  const server = spawn(process.execPath, ["-e", program, directory], { cwd: HOME, stdio: "ignore" });
  const ended = once(server, "exit");
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    server.kill("SIGKILL");
    await ended;
  };
  for (let tries = 0; tries < 300 && server.exitCode === null; tries++) {
    const answer = await fetch(`${url}/api/v2/heartbeat`).catch(() => null);
    if (answer?.ok) return { url, stop };
    await setTimeout(100);
  }
  await stop();
  return `${BINDING}@${VERSION} is installed, and its server does not start`;
}

async function install(): Promise<void> {
  if (existsSync(HOME)) return;
  const made = `${HOME}-${process.pid}`;
  mkdirSync(made, { recursive: true });
  writeFileSync(join(made, "package.json"), "{}");
  try {
    const args = ["install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", `${BINDING}@${VERSION}`];
    await promisify(execFile)("npm", args, { cwd: made, timeout: 90_000 });
    renameSync(made, HOME); // whole or not at all, whoever else does the same
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    throw error;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}
