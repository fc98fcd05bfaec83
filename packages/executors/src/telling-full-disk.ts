import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { messageOf, type Sandbox, SwarmError } from "@swarm/core";

/** Where what went wrong is that this machine's disk is full. */
const FULL = ["ENOSPC", "EDQUOT"];

/**
 * A sandbox that tells when the machine's disk is full, as soon as something failed for that. It is no fault of the work: another
 * machine has to go on with it.
 */
export function tellingFullDisk(sandbox: Sandbox, tell: (reason: SwarmError) => void): Sandbox {
  const told = <T extends object>(port: T): T =>
    new Proxy(port, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function")
          return name === "snapshots" || name === "blobs" ? told(value as object) : value;
        return async (...given: unknown[]) => {
          try {
            const result = await value.apply(target, given);
            if (name === "exec" && isDiskFull()) tell(diskFull("a command ran"));
            return name === "open" ? told(result) : result;
          } catch (error) {
            if (isForFullDisk(error)) tell(diskFull(messageOf(error)));
            throw error;
          }
        };
      },
    });
  return told(sandbox);
}

/** Whether nothing more can be written where workspaces are. */
export function isDiskFull(): boolean {
  return statfsSync(tmpdir()).bavail === 0;
}

export function diskFull(why: string): SwarmError {
  return new SwarmError("WORKER_GONE", `the disk of this worker's machine is full (${why})`);
}

function isForFullDisk(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ("code" in error && FULL.includes(String(error.code))) || isForFullDisk(error.cause);
}
