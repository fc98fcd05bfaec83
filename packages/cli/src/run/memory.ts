import { join, relative } from "node:path";
import { InvalidInputError, type LogHeader, messageOf, type Trajectory } from "@swarm/core";
import { chroma, type MemoryStore, recordOf, sqliteMemory } from "@swarm/memory";
import type { CliIO } from "../io.ts";
import { secretsOf } from "../settings/secrets.ts";
import type { Settings } from "../settings/settings.ts";
import { jsonText } from "./views.ts";

/** The memory of the project in this folder: a Chroma server where one is set, else a file. Opens nothing yet. */
export function projectMemory(settings: Settings, cwd: string): MemoryStore {
  const secrets = secretsOf(settings);
  const { chromaHost, memoryMaxDistance: maxDistance } = settings;
  if (chromaHost === null) return sqliteMemory({ file: fileIn(cwd), secrets });
  return chroma({ url: chromaUrl(chromaHost, settings.chromaPort), maxDistance, secrets });
}

/** What a scripted run did is no experience: its memory is empty at first, and kept nowhere. */
export function passingMemory(): MemoryStore {
  return sqliteMemory({ file: ":memory:" });
}

/** The memory of a run that goes on, of the same kind as it had. */
export function memoryOfLog({ prices }: Pick<LogHeader, "prices">, settings: Settings, cwd: string): MemoryStore {
  const isScripted = Object.keys(prices).some((model) => model.startsWith("mock:"));
  return isScripted ? passingMemory() : projectMemory(settings, cwd);
}

/**
 * Keeps what a run did, unless it was cut short. Returns why it could not be kept, or null: a run is no worse for it.
 */
export async function rememberRun(memory: MemoryStore, trajectory: Trajectory): Promise<string | null> {
  if (trajectory.verdict.outcome === "aborted") return null;
  try {
    await memory.remember(await recordOf(trajectory));
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/** `swarm run --reset-memory` without a task. */
export async function resetMemory(settings: Settings, json: boolean, io: CliIO): Promise<void> {
  const memory = projectMemory(settings, io.cwd);
  await memory.clear();
  await memory.close();
  const { chromaHost, chromaPort } = settings;
  const where = chromaHost === null ? relative(io.cwd, fileIn(io.cwd)) : chromaUrl(chromaHost, chromaPort);
  if (json) io.stdout.write(jsonText({ memory: { cleared: true, where } }));
  else io.stderr.write(`memory cleared: ${where}\n`);
}

function fileIn(cwd: string): string {
  return join(cwd, ".swarm", "memory.db");
}

/** `host`, with or without a scheme and a port of its own. */
function chromaUrl(host: string, port: number): string {
  const url = URL.parse(/^https?:\/\//.test(host) ? host : `http://${host}`);
  if (!url)
    throw new InvalidInputError("CHROMA_HOST", `has to be a host, such as localhost, and is ${JSON.stringify(host)}`);
  if (url.port === "") url.port = String(port);
  return url.href.replace(/\/$/, "");
}
