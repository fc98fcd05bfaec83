import { type ChildProcess, execFile, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { SandboxError } from "@swarm/core";
import { exitOf, type ProcessTree } from "../exec/process-tree.ts";
import { WORKSPACE_ROOT } from "../files/workspace-path.ts";
import { HOME, TEMPORARY } from "./environment.ts";
import type { Command, Isolation, Place } from "./isolation.ts";
import type { Limits } from "./limits.ts";

const docker = promisify(execFile);
const PROBE_TIMEOUT_MS = 10_000;
/** What `docker run` ends with when it is docker that failed. A command should not. */
const DOCKER_FAILED = 125;

/** Why Docker cannot be used, or null. Asks its daemon. */
export function dockerProblem(): string | null {
  const options = { encoding: "utf8", timeout: PROBE_TIMEOUT_MS } as const;
  const { error, status, stderr } = spawnSync("docker", ["version", "--format", "{{.Server.Version}}"], options);
  if (error) return "code" in error && error.code === "ENOENT" ? "it is not installed" : error.message;
  return status === 0 ? null : stderr.trim() || `it ended with ${status}`;
}

/**
 * Experimental: never run by the maintainers. Each command in a container of its own, made of an image that holds what commands
 * need, python3 and node above all; what the host has is not seen. No network at all.
 */
export function dockerContainer(image: string, limits: Limits): Isolation {
  return {
    rebase: false,
    ahead: false,
    ownPrograms: true,
    async launch(place, command) {
      if (command.options.modules) {
        throw new SandboxError(
          "node_modules of the host cannot be shown in a container; put the packages into its image",
        );
      }
      const name = `swarm-${randomUUID()}`;
      return {
        file: "/bin/sh",
        // Docker passes on no other descriptors. Its output is then the channel's, and its error is the command's output.
        args: [
          "-c",
          command.options.channel ? 'exec "$@" 2>&1 >&3' : 'exec "$@" 2>&1',
          "sh",
          "docker",
          ...dockerRun({ name, image, limits, place, command }),
        ],
        cwd: "/",
        env: dockerEnvironment(process.env),
        line: false,
        tree: (child) => container(child, name),
      };
    },
    async release() {},
  };
}

/** The arguments of `docker` that run a command as bubblewrap would. */
export function dockerRun(parts: {
  name: string;
  image: string;
  limits: Limits;
  place: Place;
  command: Command;
}): string[] {
  const { name, image, limits, place, command } = parts;
  const { PATH: _, ...env } = command.env; // The image has its own.
  const environment = { HOME, TMPDIR: TEMPORARY, ...env };
  const descriptors = command.options.channel ? "exec 3>&1 1>&2" : "exec 2>&1";
  return [
    ...["run", "--rm", "--init", "--name", name, "--hostname", "swarm", "--network", "none", "--read-only"],
    ...["--cap-drop", "ALL", "--security-opt", "no-new-privileges"],
    ...["--user", `${process.getuid?.() ?? 1000}:${process.getgid?.() ?? 1000}`],
    ...["--memory", String(limits.memory), "--memory-swap", String(limits.memory)],
    ...["--pids-limit", String(limits.processes)],
    ...["--ulimit", `nofile=${limits.descriptors}`, "--ulimit", `fsize=${limits.file}`, "--ulimit", "core=0"],
    ...["--tmpfs", `${TEMPORARY}:rw,exec,nosuid,nodev,mode=1777,size=${limits.temporary}`],
    ...["--mount", `type=bind,source=${place.workspace},target=${WORKSPACE_ROOT}`],
    ...["--workdir", command.cwd === "" ? WORKSPACE_ROOT : `${WORKSPACE_ROOT}/${command.cwd}`],
    ...Object.entries(environment).flatMap(([variable, value]) => ["--env", `${variable}=${value}`]),
    ...(command.options.input === undefined ? [] : ["--interactive"]),
    ...["--entrypoint", "/bin/sh", image, "-c", `mkdir -p "$HOME"; ${descriptors}; exec "$@"`, "sh"],
    ...command.argv,
  ];
}

/** What docker's own client needs to find its daemon; nothing of it reaches the container. */
export function dockerEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const names = [
    "PATH",
    "HOME",
    "DOCKER_HOST",
    "DOCKER_CONTEXT",
    "DOCKER_CONFIG",
    "DOCKER_TLS_VERIFY",
    "DOCKER_CERT_PATH",
  ];
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

/** A container outlives the client that was told to run it, so it is ended by name. */
function container(child: ChildProcess, name: string): ProcessTree {
  const tell = async (...args: string[]) => {
    await docker("docker", args, { env: dockerEnvironment(process.env) }).catch(() => {}); // It has ended.
  };
  return {
    begin() {},
    terminate: () => void tell("kill", "--signal", "TERM", name),
    kill() {
      void tell("kill", name);
      child.kill("SIGKILL");
    },
    clear: () => tell("rm", "--force", name),
    outcome(exit) {
      if (exit.code === DOCKER_FAILED) throw new SandboxError(`docker could not run a container (${DOCKER_FAILED})`);
      return exit.code === null ? exit : exitOf(exit.code);
    },
  };
}
