import { type ChildProcess, spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { findCgroupHome } from "../../src/isolation/cgroups.ts";
import { uniqueSleep } from "../support.ts";
import { python, type World } from "./attack.ts";

/** What is on the host for all attacks: servers, shared memory, another workspace. */
export type Surroundings = {
  secret: string;
  env: Record<string, string>;
  /** A world of its own for one run of an attack. */
  world(): Promise<World & AsyncDisposable>;
  /** Files of a world with their content, to see whether one changed. */
  filesOf(world: World): Record<string, string>;
} & AsyncDisposable;

/** @param other the folder of another workspace on the host */
export async function surroundings(folder: string, other: string): Promise<Surroundings> {
  const secret = `secret-${process.pid}-${Date.now()}`;
  const answer = (server: Server, ...where: [string] | [number, string]) =>
    once(server.listen(...(where as [string])), "listening").then(() => server.address());
  const servers = Array.from({ length: 3 }, () => createServer((socket) => socket.on("error", () => {}).end(secret)));
  const [tcp, path, abstract] = servers as [Server, Server, Server];
  const udp = createSocket("udp4", (_, { port, address }) => udp.send(secret, port, address));
  const socket = join(folder, "daemon.sock");
  const name = `swarm-attack-${process.pid}`;
  const { port } = (await answer(tcp, 0, "0.0.0.0")) as { port: number };
  await answer(path, socket);
  await answer(abstract, `\0${name}`);
  await new Promise<void>((resolve) => udp.bind(0, "127.0.0.1", resolve));
  const key = String(0x5000_0000 + process.pid);
  const memory = await sharedMemory(key, secret);
  const address = Object.values(networkInterfaces()).flatMap((all = []) =>
    all.filter(({ internal, family }) => !internal && family === "IPv4"),
  )[0]?.address;
  writeFileSync(join(other, "secret"), secret);

  const env = {
    PORT: String(port),
    UDP_PORT: String(udp.address().port),
    ADDRESS: address ?? "none.invalid",
    SOCKET: socket,
    ABSTRACT: name,
    SHARED_KEY: key,
    OTHER: other,
    HOST_TMP: folder,
    CGROUP: findCgroupHome()?.folders[0] ?? join(folder, "no-control-groups"),
  };
  return {
    secret,
    env,
    async world() {
      const outside = mkdtempSync(join(folder, "outside-"));
      writeFileSync(join(outside, "secret"), secret);
      for (const file of ["linked", "victim"]) writeFileSync(join(outside, file), "");
      const victim = spawn("sleep", ["60"], { env: { HOST_KEY: secret, PATH: "/usr/bin:/bin" }, stdio: "ignore" });
      await once(victim, "spawn");
      const sleep = uniqueSleep();
      return {
        outside,
        secret,
        sleep,
        victim: { pid: victim.pid ?? 0, alive: () => victim.exitCode === null && victim.signalCode === null },
        env: {
          ...env,
          OUTSIDE: outside,
          SECRET_FILE: join(outside, "secret"),
          VICTIM: String(victim.pid),
          SLEEP: sleep,
        },
        async [Symbol.asyncDispose]() {
          await ended(victim);
          rmSync(outside, { recursive: true, force: true });
        },
      };
    },
    filesOf: ({ outside }) =>
      Object.fromEntries(readdirSync(outside).map((file) => [file, readFileSync(join(outside, file), "utf8")])),
    async [Symbol.asyncDispose]() {
      for (const server of servers) server.close();
      udp.close();
      memory.kill("SIGTERM");
      await once(memory, "exit");
    },
  };
}

/** A process that keeps a segment of System V shared memory with `text` until it is asked to end. */
async function sharedMemory(key: string, text: string): Promise<ChildProcess> {
  const [program = "", ...args] = python(`
libc.shmat.restype = ctypes.c_void_p
segment = checked(libc.shmget(int(sys.argv[1]), 4096, 0o1600))
ctypes.memmove(libc.shmat(segment, None, 0), sys.argv[2].encode(), len(sys.argv[2]))
def end(*_):
    libc.shmctl(segment, 0, None)
    os._exit(0)
signal.signal(signal.SIGTERM, end)
print("ready", flush=True)
while True: signal.pause()`);
  const child = spawn(program, [...args, key, text], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  return child;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}
