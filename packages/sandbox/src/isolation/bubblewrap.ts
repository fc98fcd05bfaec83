import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readlinkSync, realpathSync, writeFileSync } from "node:fs";
import { type ExecOptions, messageOf, SandboxError } from "@swarm/core";
import { processNamespace } from "../exec/process-tree.ts";
import { type Launch, lineDescriptor } from "../exec/run-command.ts";
import { WORKSPACE_ROOT } from "../files/workspace-path.ts";
import { keepLoads, type Loads } from "../loads/keep-loads.ts";
import { type Cgroup, type CgroupHome, joinCgroups, makeCgroup } from "./cgroups.ts";
import { HOME, TEMPORARY } from "./environment.ts";
import { type Blank, type Command, type Isolation, joinAndExec, type Place } from "./isolation.ts";
import { type Limits, limitsInShell } from "./limits.ts";
import { MODULES, moduleFolders } from "./modules.ts";
import type { AllowedHost } from "./network/allow-list.ts";
import { behindBridge, PROXY_ENVIRONMENT, PROXY_SOCKET } from "./network/bridge.ts";
import { type HttpsProxy, startProxy } from "./network/proxy.ts";
import { orderOf } from "./order.ts";
import { isArchitecture, seccompFilter } from "./seccomp/filter.ts";
import type { Toolchain } from "./toolchain.ts";
import { inMegabytes } from "./use.ts";
import { watcher } from "./watch-use.ts";

/** Who a command is inside, whoever starts it outside: the same on every machine. */
const USER = 1000;
/** Bwrap stays as a process in the sandbox, with its environment open to read: it gets none but this. */
const OWN_ENV = { PATH: "/usr/bin:/bin:/usr/local/bin" };
/** Bytes of `/dev/shm`, which every program has and few need. */
const SHARED = 64 * 1024 * 1024;
const SYSTEM_FOLDERS = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];
const CERTIFICATES = ["/etc/ssl/certs", "/etc/pki/tls/certs", "/etc/pki/ca-trust/extracted"];
const SYSTEM_FILES = ["/etc/ld.so.cache", "/etc/alternatives"];
/** Null on an architecture that there are no tables for. */
const FILTER = isArchitecture(process.arch) ? seccompFilter(process.arch) : null;
/** Of what runs no command yet. */
const IDLE: ExecOptions = { signal: new AbortController().signal, timeoutMs: 0 };

/** Why bubblewrap does not work here, or null when it does. Tries it. */
export function bubblewrapProblem(): string | null {
  const filter = FILTER ? ["--seccomp", "0"] : [];
  const args = [...NAMESPACES, ...filter, ...system(), "--remount-ro", "/proc", "--", "/bin/sh", "-c", ":"];
  const options = { env: OWN_ENV, encoding: "utf8", timeout: 10_000, input: FILTER ?? "" } as const;
  const { error, status, stderr } = spawnSync("bwrap", args, options);
  if (error) return "code" in error && error.code === "ENOENT" ? "it is not installed" : error.message;
  return status === 0 ? null : stderr.trim() || `it ended with ${status}`;
}

export type BubblewrapParts = {
  toolchain: Toolchain;
  limits: Limits;
  /** Where control groups can be made; without it, what all processes use together is looked at now and then. */
  cgroups: CgroupHome | null;
  /** What commands may reach, through a proxy of this process. */
  network: readonly AllowedHost[];
};

/** What the machine keeps for a place, from the first command there until its release. */
type Held = { group: Cgroup | null; proxy: HttpsProxy | null };

/** A root of its own with the system read-only, the workspace as its one lasting writable folder, and no network but its own. */
export function bubblewrap({ toolchain, limits, cgroups, network }: BubblewrapParts): Isolation {
  const held = new Map<string, Promise<Held>>();
  // The same for all commands: the system, what is theirs alone, the tools.
  const shown = [
    ...system(),
    ...["--perms", "1777", "--size", String(SHARED), "--tmpfs", "/dev/shm"],
    ...["--perms", "1777", "--size", String(limits.temporary), "--tmpfs", TEMPORARY],
    ...["--perms", "0700", "--dir", HOME],
    ...toolchain.folders.flatMap((folder) => ["--ro-bind", folder, folder]),
  ];
  const joins = cgroups?.folders.length ?? 0;
  watcher(); // It takes its time to start.
  const hold = async ({ base }: Place): Promise<Held> => ({
    group: cgroups && newGroup(cgroups, limits),
    proxy: network.length > 0 ? await startProxy(proxySocket(base), network) : null,
  });
  const heldFor = (place: Place) => {
    const own = held.get(place.base) ?? hold(place);
    held.set(place.base, own);
    return own;
  };
  /** `run` gives what is run within, from shell code that joins the control groups. */
  const enter = async (
    place: Place,
    { cwd, env, options }: Omit<Command, "argv" | "cwd"> & { cwd: string | null },
    run: (join: string) => readonly string[],
  ): Promise<Launch> => {
    const { group, proxy } = await heldFor(place);
    const loads = options.loads ? keepLoads(place, "", env) : null;
    const environment = { HOME, TMPDIR: TEMPORARY, ...(proxy ? PROXY_ENVIRONMENT : {}), ...env, ...loads?.env };
    const line = lineDescriptor(options);
    const members = group?.members ?? [];
    const [filter, ...joined] = [filterFile(place), ...members].map((_, index) => line + 1 + index);
    let killedBefore = 0;
    let endWatch: (() => string | null) | undefined;
    let excess: string | null = null;
    return {
      file: "bwrap",
      args: [
        ...(FILTER ? ["--seccomp", String(filter)] : []),
        ...NAMESPACES,
        ...["--json-status-fd", String(line), "--clearenv"],
        ...Object.entries(environment).flatMap(([name, value]) => ["--setenv", name, value]),
        ...shown,
        ...accounts(place),
        ...(options.modules ? modules(options.modules) : []),
        ...(proxy ? wayOut(place) : []),
        ...(loads ? account(place, loads) : []),
        ...["--bind", place.workspace, WORKSPACE_ROOT],
        ...["--chdir", cwd === null ? "/" : cwd === "" ? WORKSPACE_ROOT : `${WORKSPACE_ROOT}/${cwd}`],
        // Without the last a root user could write kernel settings through /proc/sys.
        ...["--remount-ro", "/", "--remount-ro", "/dev", "--remount-ro", "/proc", "--"],
        ...run(joinCgroups(joined)),
      ],
      cwd: "/",
      env: OWN_ENV,
      line: true,
      given: [{ path: filterFile(place), flags: "r" }, ...members.map((path) => ({ path, flags: "w" }) as const)],
      ...(loads ? { loads } : {}),
      tree(child, status) {
        const tree = processNamespace(child, status);
        return {
          ...tree,
          begin() {
            if (child.pid === undefined) return; // it could not be started
            killedBefore = group?.killedForMemory() ?? 0;
            const watched = { folder: place.workspace, limits, root: child.pid, started: Date.now() };
            endWatch = watcher().watch({ ...watched, alone: group === null });
          },
          async clear() {
            excess = endWatch?.() ?? null;
            await tree.clear();
          },
        };
      },
      note() {
        if (excess === null && (group?.killedForMemory() ?? 0) > killedBefore)
          excess = `${inMegabytes(limits.memory)} of memory`;
        return excess && `[ended by the sandbox: more than ${excess}]`;
      },
    };
  };
  const limited = ({ timeoutMs, startMs = 0 }: ExecOptions) => limitsInShell(limits, timeoutMs + startMs);
  const blank: Blank = {
    async launch(place, { env, channel }) {
      const options = { ...IDLE, channel };
      // The workspace's root may be locked when it starts, and is not when it is given its order.
      const launch = await enter(place, { cwd: null, env, options }, (join) => ["/bin/sh", "-c", `${join}; exec sh`]);
      return { ...launch, blank: true };
    },
    order: (command) => {
      const begin = `cd ${WORKSPACE_ROOT} || exit; unset OLDPWD; ${limited(command.options)}`;
      return orderOf(command, begin, lineDescriptor(command.options) + 2 + joins);
    },
  };
  return {
    rebase: false,
    ahead: true,
    ownPrograms: false,
    ...(network.length === 0 ? { blank } : {}),
    launch: async (place, { argv, ...command }) =>
      await enter(place, command, (join) => [
        ...joinAndExec(`${join}; ${limited(command.options)}`),
        ...(network.length > 0
          ? behindBridge(realpathSync(process.execPath), argv, command.options.channel ?? false)
          : argv),
      ]),
    async release({ base }) {
      const own = await held.get(base)?.catch(() => null); // It was never held, and a command has been told why.
      own?.proxy?.close();
      await own?.group?.remove();
      held.delete(base);
    },
  };
}

const NAMESPACES = [
  ...["--unshare-all", "--unshare-user", "--disable-userns", "--uid", String(USER), "--gid", String(USER)],
  ...["--cap-drop", "ALL", "--hostname", "swarm", "--die-with-parent", "--new-session"],
];

function system(): string[] {
  const folders = SYSTEM_FOLDERS.filter((folder) => existsSync(folder)).flatMap((folder) =>
    lstatSync(folder).isSymbolicLink() ? ["--symlink", readlinkSync(folder), folder] : ["--ro-bind", folder, folder],
  );
  const files = SYSTEM_FILES.flatMap((file) => ["--ro-bind-try", file, file]);
  return ["--ro-bind", "/usr", "/usr", ...folders, ...files, "--proc", "/proc", "--dev", "/dev"];
}

function modules(folder: string): string[] {
  const shown = moduleFolders(folder).flatMap((one) => ["--ro-bind", one, one]);
  return [...shown, "--symlink", folder, MODULES];
}

/** Who the user is and where `localhost` is: the same everywhere, and nothing of the host's own lists. */
function accounts(place: Place): string[] {
  const files = {
    passwd: `swarm:x:${USER}:${USER}::${HOME}:/bin/sh\n`,
    group: `swarm:x:${USER}:\n`,
    hosts: "127.0.0.1 localhost swarm\n::1 localhost\n",
  };
  const folder = `${place.base}/etc`;
  if (!existsSync(folder)) {
    mkdirSync(folder);
    for (const [name, text] of Object.entries(files)) writeFileSync(`${folder}/${name}`, text);
  }
  return Object.keys(files).flatMap((name) => ["--ro-bind", `${folder}/${name}`, `/etc/${name}`]);
}

/** The hooks, and the one file that they write into, where they are told that these are. */
function account({ base }: Place, { hooks, records }: Loads): string[] {
  const inside = (path: string) => path.slice(base.length);
  return ["--ro-bind", hooks, inside(hooks), "--bind", records, inside(records)];
}

function newGroup(home: CgroupHome, limits: Limits): Cgroup {
  try {
    return makeCgroup(home, limits);
  } catch (cause) {
    throw new SandboxError(`no control group can be made in ${home.folders.join(" and ")}: ${messageOf(cause)}`, {
      cause,
    });
  }
}

function proxySocket(base: string): string {
  return `${base}/proxy`;
}

/** The proxy, and whom to trust behind it. */
function wayOut({ base }: Place): string[] {
  const trusted = CERTIFICATES.flatMap((folder) => ["--ro-bind-try", folder, folder]);
  return ["--ro-bind", proxySocket(base), PROXY_SOCKET, ...trusted];
}

function filterFile({ base }: Place): string {
  if (FILTER === null) return "/dev/null";
  const file = `${base}/seccomp`;
  if (!existsSync(file)) writeFileSync(file, FILTER);
  return file;
}
