import { execFile } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/**
 * The folder of an npm package, installed once a machine and apart from this repository's own dependencies: for what is
 * large, or only a server that tests talk to.
 */
export async function installed(name: string, version: string): Promise<string> {
  const home = join(tmpdir(), `${name.replaceAll(/[@/]+/g, "-").replace(/^-/, "")}-${version}`);
  if (!existsSync(home)) await install(home, `${name}@${version}`);
  return join(home, "node_modules", name);
}

async function install(home: string, what: string): Promise<void> {
  const made = `${home}-${process.pid}`;
  mkdirSync(made, { recursive: true });
  writeFileSync(join(made, "package.json"), "{}");
  try {
    const args = ["install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", what];
    await promisify(execFile)("npm", args, { cwd: made, timeout: 120_000 });
    renameSync(made, home); // whole or not at all
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    if (!existsSync(home)) throw error; // unless somebody else was quicker
  }
}
