import { availableParallelism, totalmem } from "node:os";
import { InvalidInputError } from "@swarm/core";

const MB = 1024 * 1024;

/** What a command under bubblewrap may use. Sizes in bytes. */
export type Limits = {
  /** Of all its processes together, with the files that they keep in memory. */
  memory: number;
  /** Processes and threads. */
  processes: number;
  /** New or changed files in the workspace, together. */
  disk: number;
  /** How many of them. */
  files: number;
  /** Its `/tmp`. */
  temporary: number;
  /** Of each process. */
  addressSpace: number;
  /** Of each file. */
  file: number;
  /** Of each process. */
  descriptors: number;
};

export const DEFAULT_LIMITS: Readonly<Limits> = {
  memory: Math.min(4096 * MB, Math.floor(totalmem() / 2)),
  processes: 512,
  disk: 1024 * MB,
  files: 100_000,
  temporary: 256 * MB,
  addressSpace: 4096 * MB,
  file: 512 * MB,
  descriptors: 4096,
};

/** The defaults with what is given in their place. Throws an {@link InvalidInputError} for what is no limit. */
export function limitsFrom(given: Partial<Limits>): Limits {
  for (const [name, value] of Object.entries(given)) {
    const field = `limits.${name}`;
    if (!Object.hasOwn(DEFAULT_LIMITS, name)) {
      throw new InvalidInputError(field, `is no limit; there are ${Object.keys(DEFAULT_LIMITS).join(", ")}`);
    }
    if (!Number.isSafeInteger(value) || value <= 0) {
      throw new InvalidInputError(field, `is ${value}; give a whole number above 0`);
    }
  }
  return { ...DEFAULT_LIMITS, ...given };
}

/**
 * For a shell that is about to become the command: limits of its own, and no core file, which would lie in the workspace. A
 * limit that is stricter already stays. The number of processes is `-u` in bash, which means something else with `-p`,
 * and `-p` in dash and busybox.
 */
export function limitsInShell({ addressSpace, file, disk, descriptors, processes }: Limits, timeoutMs: number): string {
  const cpuSeconds = Math.ceil(timeoutMs / 1000) * availableParallelism() + 1;
  const limits = [
    `limit v ${Math.ceil(addressSpace / 1024)}`,
    `limit f ${Math.ceil(Math.min(file, disk) / 512)}`,
    `limit t ${cpuSeconds}`,
    `limit n ${descriptors}`,
    "limit c 0",
    `if ulimit -u >/dev/null 2>&1; then limit u ${processes}; else limit p ${processes}; fi`,
  ];
  return [
    'limit() { { ulimit "-$1" "$2" || [ "$(ulimit "-H$1")" -le "$2" ]; } 2>/dev/null; }',
    `${limits.join(" && ")} || { echo "sh: the limits cannot be set" >&2; exit 126; }`,
  ].join("; ");
}
