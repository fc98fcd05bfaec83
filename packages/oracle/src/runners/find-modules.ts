import { existsSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { SandboxError } from "@swarm/core";

/** A package of the host: the `node_modules` that it was found in, and its own folder without links. */
export type HostPackage = { modules: string; folder: string };

/** Finds a package as Node does, in the `node_modules` of `from` and of the folders above it. */
export function findPackage(name: string, from: string): HostPackage {
  const start = resolve(from);
  for (let at = start; ; at = dirname(at)) {
    const modules = join(at, "node_modules");
    const folder = join(modules, name);
    if (existsSync(join(folder, "package.json"))) return { modules, folder: realpathSync(folder) };
    if (at === dirname(at)) break;
  }
  throw new SandboxError(`${name} is not installed in ${start} or above: npm install --save-dev ${name}`);
}
