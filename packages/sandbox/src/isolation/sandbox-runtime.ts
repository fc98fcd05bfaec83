import { homedir } from "node:os";
import type { Isolation, Place } from "./isolation.ts";
import type { AllowedHost } from "./network/allow-list.ts";
import { quoted } from "./order.ts";
import { plainProcess } from "./plain-process.ts";
import type { Toolchain } from "./toolchain.ts";

/** What the library `@anthropic-ai/sandbox-runtime` is told. */
export type RuntimePolicy = {
  network: { allowedDomains: string[]; deniedDomains: string[] };
  filesystem: { denyRead: string[]; allowRead: string[]; allowWrite: string[]; denyWrite: string[] };
};
/** What is used of it: its export of this name fits. */
export type SandboxManager = {
  initialize(policy: RuntimePolicy): Promise<void>;
  /** A command for a shell that runs `command` within the policy. */
  wrapWithSandbox(command: string, shell: string, policy: RuntimePolicy): Promise<string>;
  cleanupAfterCommand(): void;
};

export type RuntimeParts = { manager: SandboxManager; toolchain: Toolchain; network: readonly AllowedHost[] };

/**
 * Experimental: the maintainers have run it on Linux alone, never on macOS. Commands as plain processes that the library keeps
 * from the user's files, from writing outside of their own folder, and from the network but for the list. It limits neither memory
 * nor processes nor disk, and what leaves a command's group outlives it.
 */
export function sandboxRuntime({ manager, toolchain, network }: RuntimeParts): Isolation {
  let ready: Promise<void> | undefined;
  return {
    ...plainProcess,
    async launch(place, command) {
      const policy = runtimePolicy({ place, toolchain, network });
      ready ??= manager.initialize(policy);
      const [plain] = await Promise.all([plainProcess.launch(place, command), ready]);
      // The library sets a folder of its own for temporary files, which all commands would share.
      const own = ["/usr/bin/env", `TMPDIR=${plain.env["TMPDIR"]}`, plain.file, ...plain.args];
      const wrapped = await manager.wrapWithSandbox(own.map(quoted).join(" "), "/bin/sh", policy);
      return { ...plain, file: "/bin/sh", args: ["-c", wrapped] };
    },
    async release() {
      if (ready) manager.cleanupAfterCommand();
    },
  };
}

/** Read the system and the toolchain but nobody's home, write the place's folder alone, reach the list alone. */
export function runtimePolicy(parts: {
  place: Place;
  toolchain: Toolchain;
  network: readonly AllowedHost[];
}): RuntimePolicy {
  const { place, toolchain, network } = parts;
  return {
    network: { allowedDomains: network.map(({ name, port }) => `${name}:${port}`), deniedDomains: [] },
    filesystem: {
      denyRead: [...new Set([homedir(), "/Users", "/home", "/root"])],
      allowRead: [place.base, ...toolchain.folders],
      allowWrite: [place.base],
      denyWrite: [],
    },
  };
}
