import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { SandboxError, startOf } from "@swarm/core";
import { hasCode } from "../files/fs-error.ts";
import { statOf } from "../files/open-file.ts";
import { DEFAULT_LIMITS, type Limits } from "./limits.ts";

/** The last member may still be on its way out. */
const [REMOVAL_ROUNDS, REMOVAL_PAUSE_MS] = [100, 5];

/** Where this process may make control groups, which bound what all processes in them use together. */
export type CgroupHome = {
  version: 1 | 2;
  /** The folders to make a group in: one, or with version 1 that of memory and that of processes. */
  folders: readonly string[];
};

export type CgroupLimits = Pick<Limits, "memory" | "processes">;

/** A group for the commands of one workspace. */
export type Cgroup = {
  readonly folders: readonly string[];
  /** The files of their members: a process is one once it has written `0` to each. */
  readonly members: readonly string[];
  /** How many members were killed so far because the memory of all was used up. */
  killedForMemory(): number;
  /** When the last member is gone. */
  remove(): Promise<void>;
};

type Settings = {
  limits: Record<string, number>;
  /** For what a kernel may have been built or started without. */
  limitsIfThere: Record<string, number>;
};

function settingsOf(version: CgroupHome["version"], { memory, processes }: CgroupLimits): Settings {
  return version === 2
    ? { limits: { "memory.max": memory, "pids.max": processes }, limitsIfThere: { "memory.swap.max": 0 } }
    : {
        limits: { "memory.limit_in_bytes": memory, "pids.max": processes },
        limitsIfThere: { "memory.memsw.limit_in_bytes": memory },
      };
}
const NO_OUTPUT = ["ignore", "ignore", "ignore"] as const;
const EVENTS = { 1: "memory.oom_control", 2: "memory.events" };

/** The first home that groups can be made in and joined, or null. Tries it, and leaves nothing behind. */
export function findCgroupHome(): CgroupHome | null {
  const [mountinfo, own] = ["mountinfo", "cgroup"].map((name) => readOr(`/proc/self/${name}`, ""));
  return possibleHomes(mountinfo ?? "", own ?? "").find(works) ?? null;
}

/**
 * Where groups could be made, by the text of `/proc/self/mountinfo` and `/proc/self/cgroup`. With version 2 it is beside this
 * process's own group, since one with members has no bounded groups below it, or at the top; with version 1 in its own.
 */
export function possibleHomes(mountinfo: string, own: string): CgroupHome[] {
  const mounts = mountinfo.split("\n").map(mountIn);
  const groups = own.split("\n").map((line) => line.split(":"));
  const groupOf = (controller: string) => {
    const mount = mounts.find(({ controllers }) => controllers.includes(controller));
    const path = groups.find(([, names = ""]) => names.split(",").includes(controller))?.[2];
    // In a container the mount may show only a part of the tree, from its root on.
    return mount && path !== undefined ? { folder: mount.folder, path: relative(mount.root, path) } : null;
  };
  const [unified, memory, processes] = [groupOf(""), groupOf("memory"), groupOf("pids")];
  return [
    ...(unified ? [{ version: 2, folders: [join(unified.folder, dirname(unified.path))] } as const] : []),
    ...(memory && processes
      ? [{ version: 1, folders: [memory, processes].map(({ folder, path }) => join(folder, path)) } as const]
      : []),
  ];
}

function mountIn(line: string): { controllers: string[]; root: string; folder: string } {
  const [mount = "", source = ""] = line.split(" - ");
  const [, , , root = "", folder = ""] = mount.split(" ");
  const [type, , options = ""] = source.split(" ");
  return { controllers: type === "cgroup2" ? [""] : type === "cgroup" ? options.split(",") : [], root, folder };
}

function works(home: CgroupHome): boolean {
  try {
    const group = makeCgroup(home, DEFAULT_LIMITS);
    const files = group.members.map((path) => openSync(path, "w"));
    const stdio = [...NO_OUTPUT, ...files];
    const { status } = spawnSync("/bin/sh", ["-c", joinCgroups(files.map((_, index) => index + NO_OUTPUT.length))], {
      stdio,
    });
    for (const file of files) closeSync(file);
    for (const folder of group.folders) removeNow(folder);
    return status === 0;
  } catch {
    return false; // Not ours to write, or without what bounds memory and processes.
  }
}

/** For a shell that has the `members` of groups open: makes it one of them, and closes these. */
export function joinCgroups(descriptors: readonly number[]): string {
  return descriptors.map((one) => `echo 0 >&${one} || exit 126; exec ${one}>&-`).join("; ") || ":";
}

/** Throws what the system says when a group cannot be made or bounded, and has then made none. */
export function makeCgroup({ version, folders }: CgroupHome, most: CgroupLimits): Cgroup {
  const name = `${ownPrefix()}${startOf(process.pid)}.${randomUUID()}`;
  const own = folders.map((folder) => join(folder, name));
  const { limits, limitsIfThere } = settingsOf(version, most);
  const pathOf = (file: string) => own.map((folder) => join(folder, file)).find((path) => statOf(path) !== null);
  try {
    for (const folder of own) mkdirSync(folder);
    for (const [file, limit] of Object.entries({ ...limits, ...limitsIfThere })) {
      const path = pathOf(file);
      if (path) writeFileSync(path, String(limit));
      else if (file in limits) throw new SandboxError(`${own.join(", ")}: the group has no ${file}`);
    }
  } catch (error) {
    for (const folder of own) removeNow(folder);
    throw error;
  }
  return {
    folders: own,
    members: own.map((folder) => join(folder, "cgroup.procs")),
    killedForMemory: () => Number(/^oom_kill (\d+)$/m.exec(readOr(pathOf(EVENTS[version]) ?? "", ""))?.[1] ?? 0),
    async remove() {
      for (const folder of own) {
        for (let round = 0; !removeNow(folder) && round < REMOVAL_ROUNDS; round += 1) await delay(REMOVAL_PAUSE_MS);
      }
    },
  };
}

/** Removes the groups that processes of this machine left when they were killed. */
export function sweepCgroups({ folders }: CgroupHome): void {
  const [space = ""] = ownPrefix().split(".");
  for (const folder of folders) {
    for (const name of readdirSync(folder)) {
      const [of, pid, started] = name.split(".");
      if (of === space && startOf(Number(pid)) !== started) removeNow(join(folder, name));
    }
  }
}

/** Says in whose process namespace an id counts, since groups may be shared with others. */
function ownPrefix(): string {
  const [space] = /\d+/.exec(readlinkSync("/proc/self/ns/pid")) ?? ["0"];
  return `swarm-${space}.${process.pid}.`;
}

/** Whether the group is gone. One with members stays. */
function removeNow(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    return hasCode(error, "ENOENT");
  }
}

function readOr(file: string, fallback: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return fallback; // A kernel without it.
  }
}
