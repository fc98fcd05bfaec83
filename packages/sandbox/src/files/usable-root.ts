import { mkdirSync, rmSync } from "node:fs";
import { messageOf, SandboxError } from "@swarm/core";
import type { Place } from "../isolation/isolation.ts";
import { statOf } from "./open-file.ts";
import { openToOwner } from "./with-access.ts";

/**
 * Makes a workspace's root a folder that its owner can use, whatever a command did to it: locked, removed, or replaced by a
 * link, which nothing may follow. What is in the folder stays as it is.
 */
export function makeRootUsable({ base, workspace }: Place): void {
  try {
    openToOwner(base);
    if (!statOf(workspace)?.isDirectory()) {
      rmSync(workspace, { force: true });
      mkdirSync(workspace);
    }
    openToOwner(workspace);
  } catch (cause) {
    throw new SandboxError(`the workspace's folder cannot be used: ${messageOf(cause)}; open another`, { cause });
  }
}
