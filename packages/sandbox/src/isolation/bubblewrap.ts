import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readlinkSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { findProgram } from "../exec/find-program.ts";
import { processNamespace } from "../exec/process-tree.ts";
import { statusDescriptor } from "../exec/run-command.ts";
import { WORKSPACE_ROOT } from "../files/workspace-path.ts";
import { HOME, TEMPORARY } from "./environment.ts";
import { type Isolation, JOIN_AND_EXEC, type Place } from "./isolation.ts";
import { MODULES, moduleFolders } from "./modules.ts";
import type { Toolchain } from "./toolchain.ts";

const MB = 1024 * 1024;
/** Per process, except for the sizes of folders. `processes` does not bind root. */
const LIMITS = { addressSpace: 4096 * MB, processes: 512, file: 512 * MB, temporary: 256 * MB, shared: 64 * MB };
/** Who a command is inside, whoever starts it outside: the same on every machine. */
const USER = 1000;
/** Bwrap stays as a process in the sandbox, with its environment open to read: it gets none but this. */
const OWN_ENV = { PATH: "/usr/bin:/bin:/usr/local/bin" };
const SYSTEM_FOLDERS = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];
const SYSTEM_FILES = ["/etc/ld.so.cache", "/etc/alternatives"];

/** Why bubblewrap does not work here, or null when it does. Tries it. */
export function bubblewrapProblem(): string | null {
  const args = [...NAMESPACES, ...system(), "--remount-ro", "/proc", "--", "/bin/sh", "-c", ":"];
  const { error, status, stderr } = spawnSync("bwrap", args, { env: OWN_ENV, encoding: "utf8", timeout: 10_000 });
  if (error) return "code" in error && error.code === "ENOENT" ? "it is not installed" : error.message;
  return status === 0 ? null : stderr.trim() || `it ended with ${status}`;
}

/** A root of its own with the system read-only, the workspace as its one lasting writable folder, and no network. */
export function bubblewrap(toolchain: Toolchain): Isolation {
  const prlimit = findProgram("prlimit", ["/usr/bin", "/bin"]);
  return {
    rebase: false,
    ahead: true,
    async launch(place, { argv, cwd, env, options }) {
      const environment = { HOME, TMPDIR: TEMPORARY, ...env };
      return {
        file: "bwrap",
        args: [
          ...NAMESPACES,
          ...["--json-status-fd", String(statusDescriptor(options)), "--clearenv"],
          ...Object.entries(environment).flatMap(([name, value]) => ["--setenv", name, value]),
          ...system(),
          ...accounts(place),
          ...["--perms", "1777", "--size", String(LIMITS.shared), "--tmpfs", "/dev/shm"],
          ...["--perms", "1777", "--size", String(LIMITS.temporary), "--tmpfs", TEMPORARY],
          ...["--perms", "0700", "--dir", HOME],
          ...toolchain.folders.flatMap((folder) => ["--ro-bind", folder, folder]),
          ...(options.modules ? modules(options.modules) : []),
          ...["--bind", place.workspace, WORKSPACE_ROOT],
          ...["--chdir", cwd === "" ? WORKSPACE_ROOT : `${WORKSPACE_ROOT}/${cwd}`],
          // Without the last a root user could write kernel settings through /proc/sys.
          ...["--remount-ro", "/", "--remount-ro", "/dev", "--remount-ro", "/proc", "--"],
          ...(prlimit ? [prlimit, ...limits(options.timeoutMs + (options.startMs ?? 0)), "--"] : []),
          ...JOIN_AND_EXEC,
          ...argv,
        ],
        cwd: "/",
        env: OWN_ENV,
        tellsStatus: true,
        tree: processNamespace,
      };
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

function limits(timeoutMs: number): string[] {
  const cpuSeconds = Math.ceil(timeoutMs / 1000) * availableParallelism() + 1;
  const { addressSpace, processes, file } = LIMITS;
  return [`--as=${addressSpace}`, `--nproc=${processes}`, `--fsize=${file}`, `--cpu=${cpuSeconds}`];
}
