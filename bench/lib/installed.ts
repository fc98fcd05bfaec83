import { createHash } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pnpm, run, tool } from "../../scripts/run.ts";
import { packagesOf } from "../../scripts/workspace.ts";

/** Packages of the npm registry and their versions, or the paths of tarballs. */
export type Wanted = Readonly<Record<string, string>>;

const HOME = join(tmpdir(), "swarm-bench-installed");

/**
 * A folder in which these packages are installed as a user installs them, apart from this repository. It is made once a
 * machine for each choice of packages. Rejects with what npm said where they cannot be installed.
 */
export async function installed(packages: Wanted): Promise<string> {
  const folder = join(HOME, createHash("sha256").update(JSON.stringify(packages)).digest("hex").slice(0, 16));
  if (!existsSync(folder)) {
    const made = `${folder}-${process.pid}`;
    try {
      await installIn(made, packages);
      renameSync(made, folder); // whole or not at all
    } finally {
      rmSync(made, { recursive: true, force: true });
    }
  }
  return folder;
}

export async function installIn(folder: string, packages: Wanted): Promise<void> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", dependencies: packages }));
  await run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: folder, env: forThisNode() });
}

/** What is compiled while it is installed is to fit the Node that runs this, whichever npm takes for its own. */
function forThisNode(): NodeJS.ProcessEnv {
  const home = dirname(dirname(process.execPath));
  return existsSync(join(home, "include/node/node.h")) ? { npm_config_nodedir: home } : {};
}

/** Builds and packs one of our packages, with those that it depends on, as they would be published. */
export async function packed(name: string, folder: string): Promise<Wanted> {
  const all = packagesOf();
  const needed = new Set([name]);
  for (const { name, manifest } of all.toReversed()) {
    if (needed.has(name)) for (const own of Object.keys(manifest.dependencies ?? {})) needed.add(own);
  }
  const ours = all.filter((one) => needed.has(one.name));
  for (const { directory } of ours) {
    await tool("tsup", [], directory);
    await tool("tsc", ["-p", "tsconfig.build.json"], directory);
  }
  const filters = ours.flatMap((one) => ["--filter", one.name]);
  await pnpm(["--recursive", ...filters, "pack", "--pack-destination", folder]);
  return Object.fromEntries(
    ours.map((one) => {
      const prefix = one.name.replace("@", "").replace("/", "-");
      const tarball = readdirSync(folder).find((file) => new RegExp(`^${prefix}-\\d`).test(file));
      if (tarball === undefined) throw new Error(`${one.name} was not packed`);
      return [one.name, `file:${join(folder, tarball)}`];
    }),
  );
}

/** How many packages an installation has, and how many bytes their files. */
export function sizeOf(folder: string): { packages: number; bytes: number } {
  const lock = JSON.parse(readFileSync(join(folder, "node_modules/.package-lock.json"), "utf8"));
  return { packages: Object.keys(lock.packages).length, bytes: bytesIn(join(folder, "node_modules")) };
}

function bytesIn(path: string): number {
  const entry = lstatSync(path);
  if (!entry.isDirectory()) return entry.isFile() ? entry.size : 0;
  return readdirSync(path).reduce((sum, name) => sum + bytesIn(join(path, name)), 0);
}
