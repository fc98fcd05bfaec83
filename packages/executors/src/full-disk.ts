import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { type EventDraft, type StepHost, SwarmError } from "@swarm/core";

/** Throws where nothing more can be written to this machine's disk: an attempt that begins here would only fail. */
export function requireRoom(): void {
  if (isDiskFull()) throw diskFull("nothing was begun");
}

/**
 * A host that is told nothing that may have come of a full disk. It is no fault of the work: `leave` is given the reason, so that another
 * machine goes on. What a model answered is told in any case, since it was paid for.
 */
export function hostWithRoom(host: StepHost, leave: (reason: SwarmError) => void): StepHost {
  return {
    ...host,
    async append(epoch, events) {
      const signs = events.flatMap((event) => signOfFullDisk(event) ?? []);
      if (signs.length === 0) return await host.append(epoch, events);
      const reason = diskFull(signs.join("; "));
      leave(reason);
      throw reason;
    },
  };
}

function signOfFullDisk({ kind, payload }: EventDraft): string | null {
  const fault = payload.type === "end" || payload.type === "fault" ? payload.fault : null;
  const ofMachine = fault !== null && (fault.infrastructure || fault.code === "CRASHED");
  if (ofMachine && /\b(ENOSPC|EDQUOT)\b/.test(fault.message)) return fault.message;
  const onDisk = payload.type === "end" && (kind === "tool" || kind === "test");
  return (onDisk || fault !== null) && isDiskFull() ? `${kind} ended` : null;
}

/** Where workspaces are. */
function isDiskFull(): boolean {
  return statfsSync(tmpdir()).bavail === 0;
}

function diskFull(why: string): SwarmError {
  return new SwarmError("WORKER_GONE", `the disk of this worker's machine is full (${why})`);
}
