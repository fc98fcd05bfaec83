import { mkdirSync, mkdtempSync, rmdirSync, rmSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { SwarmError } from "@swarm/core";
import { DEFAULT_URL } from "../elsewhere/executor.ts";
import { EXIT } from "../exit-codes.ts";
import type { OptionsOf } from "../flags.ts";
import type { CliIO } from "../io.ts";
import { ISOLATIONS, oneOf } from "../one-of.ts";
import { requireWritable } from "../require-writable.ts";
import { InterruptWatch } from "../run/interrupt.ts";
import { numberAbove0 } from "../run/limits.ts";
import { requireRedis, startRedis } from "../up/redis.ts";
import { requireRestate, startRestate } from "../up/restate.ts";
import type { Server } from "../up/server.ts";
import { Workers } from "../up/workers.ts";
import { line } from "../view/line.ts";
import { Screen } from "../view/screen.ts";
import { count } from "../view/words.ts";

type Options = OptionsOf<"up">;

const SERVERS = {
  restate: { require: requireRestate, start: startRestate },
  bullmq: { require: requireRedis, start: startRedis },
};
const PLATFORMS = ["restate", "bullmq"] as const;

/** How long a server may take to answer. */
const START_MS = 60_000;
/** How long it may take to end by itself. */
const END_MS = 5_000;

/** `swarm up`: a server and workers on this machine, to try steps elsewhere, until a signal ends them all. */
export async function up(options: Options, io: CliIO): Promise<number> {
  const platform = oneOf("--executor", options.executor, PLATFORMS);
  const workerCount = numberAbove0("--workers", options.workers, true);
  numberAbove0("--concurrency", options.concurrency, true);
  oneOf("--isolation", options.isolation, ISOLATIONS);
  const data = join(io.cwd, ".swarm");
  requireWritable("--runs", join(resolve(io.cwd, options.runs), "objects"));
  requireWritable("the current folder", data);
  const { require, start } = SERVERS[platform];
  require(io);

  mkdirSync(data, { recursive: true });
  const folder = mkdtempSync(join(data, "up-"));
  const screen = new Screen(io.stderr, () => `starting ${platform === "restate" ? "Restate" : "Redis"} and workers`);
  screen.start();
  const stop = Promise.withResolvers<void>();
  let server: Server | null = null;
  let workers: Workers | null = null;
  const killAll = () => {
    workers?.signal("SIGKILL");
    server?.child.signal("SIGKILL");
  };
  process.once("exit", killAll);
  const interrupts = new InterruptWatch(
    io,
    (signal) => {
      screen.print([line(`${signal}: workers take no more steps; the same again gives those under way up`, "yellow")]);
      stop.resolve();
    },
    () => workers?.signal("SIGTERM"),
  );
  try {
    const { env, cwd } = io;
    server = await start({ folder, port: options.port, env, cwd });
    const { concurrency, runs, isolation } = options;
    const flags = ["--concurrency", concurrency, "--runs", runs, "--isolation", isolation, ...server.workerFlags];
    workers = new Workers(flags, io, (text) => screen.print([line(text, "yellow")]));
    const over = serverOver(server);
    const started = startAll(server, workers, workerCount);
    const ready = await Promise.race([started, over, stop.promise]);
    screen.stop();
    if (ready) say(ready, server, options, relative(cwd, folder), io);
    await Promise.race([over, stop.promise]);
    return EXIT.ok;
  } finally {
    workers?.signal("SIGTERM");
    await workers?.ended();
    await endServer(server);
    screen.stop();
    interrupts.stop();
    process.off("exit", killAll);
    rmSync(folder, { recursive: true, force: true });
    removeIfEmpty(data);
  }
}

type Ready = Awaited<ReturnType<Workers["start"]>>[];

async function startAll(server: Server, workers: Workers, workerCount: number): Promise<Ready> {
  const giveUpAt = performance.now() + START_MS;
  const first = workers.start(); // it may have to say that something is not installed
  first.catch(() => {});
  const others = Array.from({ length: workerCount - 1 }, () => workers.start());
  const ready = Promise.all([first, ...others]);
  ready.catch(() => {});
  while (!(await Promise.race([server.answers(), failed(ready)]))) {
    if (performance.now() > giveUpAt)
      throw new SwarmError("PLATFORM_FAILED", `${server.name} does not answer at ${server.url}`);
    await setTimeout(100);
  }
  const all = await ready;
  await server.register(() => workers.ready.map(({ url }) => url));
  return all;
}

/** Rejects when a promise does, and never resolves. */
function failed(promise: Promise<unknown>): Promise<never> {
  return promise.then(() => new Promise<never>(() => {}));
}

async function serverOver({ name, child }: Server): Promise<never> {
  const how = await child.ended;
  throw new SwarmError("PLATFORM_FAILED", `${name} ${how}: ${child.lastLine || "it said nothing"}`);
}

async function endServer(server: Server | null): Promise<void> {
  if (server === null) return;
  server.close();
  server.child.signal("SIGTERM");
  const grace = new AbortController();
  const late = setTimeout(END_MS, null, { signal: grace.signal }).then(
    () => server.child.signal("SIGKILL"),
    () => {},
  );
  await Promise.race([server.child.ended, late]);
  await server.child.ended;
  grace.abort();
}

/** Where it is, and what to type next. */
function say(workers: Ready, { name, url, also }: Server, options: Options, data: string, io: CliIO): void {
  const { executor, runs } = options;
  const flags = [
    `--executor ${executor}`,
    ...(Object.values(DEFAULT_URL).includes(url) ? [] : [`--executor-url ${url}`]),
    ...(runs === "runs" ? [] : [`--runs ${runs}`]),
  ].join(" ");
  const commands = [
    `swarm run --task page-window --mock ${flags}`,
    `swarm batch --tasks all --mock --isolation preferred ${flags}`,
  ];
  if (options.json) {
    io.stdout.write(`${JSON.stringify({ executor, url, ...also, workers, data, commands })}\n`);
    return;
  }
  const further = Object.entries(also).map(([what, where]) => `, ${what} at ${where}`);
  io.stdout.write(`${name} at ${url}${further.join("")}, with ${count(workers.length, "worker")}\n`);
  for (const { id, pid } of workers) io.stdout.write(`  ${id} (process ${pid})\n`);
  io.stdout.write(`What to type next, in another terminal:\n  ${commands.join("\n  ")}\n`);
  io.stdout.write(`Ctrl-C ends it all, and removes ${data}.\n`);
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // something else is in it
  }
}
