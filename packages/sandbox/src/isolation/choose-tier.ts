import { SandboxError } from "@swarm/core";
import { bubblewrap, bubblewrapProblem } from "./bubblewrap.ts";
import { findCgroupHome, sweepCgroups } from "./cgroups.ts";
import { dockerContainer, dockerProblem } from "./docker.ts";
import type { Isolation } from "./isolation.ts";
import type { Limits } from "./limits.ts";
import type { AllowedHost } from "./network/allow-list.ts";
import { plainProcess } from "./plain-process.ts";
import { type SandboxManager, sandboxRuntime } from "./sandbox-runtime.ts";
import type { Toolchain } from "./toolchain.ts";

export type IsolationChoice = "required" | "preferred" | "none";

/**
 * What bounds the memory and the number of all processes of a command together: the kernel by control groups of one of its
 * two versions, or this process, which looks ten times a second and ends a command with too much, or Docker; elsewhere
 * nothing.
 */
export type Bounds = "cgroups-v2" | "cgroups-v1" | "watched" | "docker" | "none";

export type Tier = {
  name: "bubblewrap" | "bubblewrap+network" | "sandbox-runtime" | "docker" | "process";
  bounds: Bounds;
  isolation(toolchain: Toolchain): Isolation;
};

export type TierParts = {
  limits: Limits;
  network: readonly AllowedHost[];
  sandboxRuntime: SandboxManager | undefined;
  docker: { image: string } | undefined;
};

const PROCESS: Tier = { name: "process", bounds: "none", isolation: () => plainProcess };

/** The strongest tier that works here. Tries it. Throws a {@link SandboxError} where isolation is required and none works. */
export function chooseTier(
  choice: IsolationChoice,
  { limits, network, sandboxRuntime: manager, docker }: TierParts,
): Tier {
  if (choice === "none") return PROCESS;
  const problem = bubblewrapProblem();
  if (problem === null) {
    const cgroups = findCgroupHome();
    return {
      name: network.length > 0 ? "bubblewrap+network" : "bubblewrap",
      bounds: cgroups ? `cgroups-v${cgroups.version}` : "watched",
      isolation(toolchain) {
        if (cgroups) sweepCgroups(cgroups);
        return bubblewrap({ toolchain, limits, cgroups, network });
      },
    };
  }
  if (manager) {
    const isolation = (toolchain: Toolchain) => sandboxRuntime({ manager, toolchain, network });
    return { name: "sandbox-runtime", bounds: "none", isolation };
  }
  if (docker && dockerProblem() === null) {
    return { name: "docker", bounds: "docker", isolation: () => dockerContainer(docker.image, limits) };
  }
  if (choice === "preferred") return PROCESS;
  throw new SandboxError(
    `bubblewrap does not work here: ${problem}. Install the package bubblewrap, 0.8 or later, on a system that allows ` +
      "user namespaces (elsewhere see the experiments in the README of @swarm/sandbox), or choose " +
      'isolation: "none" (--isolation none) to run commands as ordinary processes',
  );
}
