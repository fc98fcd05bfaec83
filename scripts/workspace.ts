import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The repository's root folder. */
export const root = dirname(import.meta.dirname);

export type Manifest = {
  name: string;
  packageManager?: string;
  exports?: Record<string, string | { "@swarm/source": string; types: string; default: string }>;
  bin?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
};

export type Package = { name: string; directory: string; manifest: Manifest };

export function readManifest(directory: string): Manifest {
  return JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as Manifest;
}

/** The packages under `<directory>/packages`, each after those that it depends on; among equals by name. */
export function packagesOf(directory: string = root): Package[] {
  const found = readdirSync(join(directory, "packages"))
    .map((folder) => join(directory, "packages", folder))
    .filter((folder) => existsSync(join(folder, "package.json")))
    .map((folder): Package => {
      const manifest = readManifest(folder);
      return { name: manifest.name, directory: folder, manifest };
    });
  const ordered: Package[] = [];
  while (found.length > 0) {
    const next = found.findIndex((one) => !found.some((other) => other.name in (one.manifest.dependencies ?? {})));
    if (next === -1) throw new Error(`These packages depend on each other: ${found.map((one) => one.name).join(", ")}`);
    ordered.push(...found.splice(next, 1));
  }
  return ordered;
}

/** The entries that other packages may import: `@swarm/core` for `.`, `@swarm/core/testing` for `./testing`. */
export function entriesOf({ name, manifest }: Package): { specifier: string; source: string }[] {
  return Object.entries(manifest.exports ?? {}).flatMap(([subpath, target]) =>
    typeof target === "string" ? [] : [{ specifier: `${name}${subpath.slice(1)}`, source: target["@swarm/source"] }],
  );
}
