/**
 * Everything that must hold before a change goes in, in the order in which it fails soonest. Stops at the first failure.
 *
 *     npm run verify                        all stages
 *     npm run verify -- types lint          only these
 *     npm run verify -- --except tests      all but these
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { checkPackages } from "./check-packages.ts";
import { helloWorld } from "./hello-world.ts";
import { CommandFailed, pnpm, run, tellAndFail, tool } from "./run.ts";
import { root } from "./workspace.ts";

const temporary = mkdtempSync(join(tmpdir(), "swarm-verify-"));

/** Each resolves to a remark or to nothing, and rejects when it found a fault. */
const STAGES: Readonly<Record<string, () => Promise<string | undefined>>> = {
  lockfile,
  lint,
  types,
  directions,
  build,
  packed,
  hello,
  gauntlet,
  tests,
};

/** pnpm-lock.yaml is what the manifests ask for. */
async function lockfile(): Promise<undefined> {
  await pnpm(["install", "--frozen-lockfile", "--lockfile-only"]);
}

/** Format, lint, and no cycles between files, of types neither. */
async function lint(): Promise<undefined> {
  await tool("biome", ["check", "--error-on-warnings"]);
}

async function types(): Promise<undefined> {
  await tool("tsc", ["-p", "."]);
}

/** Which package imports which. */
async function directions(): Promise<undefined> {
  const problems = checkPackages();
  if (problems.length > 0) throw new CommandFailed(problems.join("\n"));
}

async function build(): Promise<undefined> {
  await run(process.execPath, ["scripts/build.ts"]);
}

/** The packages as they would be published: complete, and their types found by every modern resolution. */
async function packed(): Promise<string> {
  const tarballs = await pack();
  for (const tarball of tarballs) {
    await tool("publint", ["run", tarball, "--strict"]);
    await tool("attw", [tarball, "--profile", "esm-only", "--no-color"]);
  }
  return `${tarballs.length} packages`;
}

/** The README's first program, as a user would run it. */
async function hello(): Promise<string> {
  const directory = mkdtempSync(join(temporary, "hello-"));
  const versions = await helloWorld(directory, await pack(), readFileSync(join(root, "README.md"), "utf8"));
  return `on ${versions.join(" and ")}`;
}

/** The oracle holds in every case of the gauntlet. */
async function gauntlet(): Promise<undefined> {
  await run(process.execPath, ["--conditions=@swarm/source", "packages/cli/src/main.ts", "gauntlet"]);
}

async function tests(): Promise<undefined> {
  await run(process.execPath, ["node_modules/vitest/vitest.mjs", "run"]);
}

/** Packs what was built; resolves to the paths of the tarballs. */
async function pack(): Promise<string[]> {
  const directory = join(temporary, "packed");
  await pnpm(["--recursive", "--filter", "./packages/*", "pack", "--pack-destination", directory]);
  return readdirSync(directory).map((name) => join(directory, name));
}

async function verify(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { except: { type: "string", multiple: true, default: [] } },
  });
  const unknown = [...positionals, ...values.except].filter((name) => !(name in STAGES));
  if (unknown.length > 0) {
    throw new CommandFailed(`There is no stage ${unknown.join(", ")}. Stages: ${Object.keys(STAGES).join(", ")}.`);
  }
  for (const [name, stage] of Object.entries(STAGES)) {
    if (values.except.includes(name) || (positionals.length > 0 && !positionals.includes(name))) continue;
    await timed(name, stage);
  }
}

/** Runs a stage with a line that names it, says how it went and how long it took. */
async function timed(name: string, stage: () => Promise<string | undefined>): Promise<void> {
  process.stdout.write(name.padEnd(12));
  const started = performance.now();
  const seconds = () => `${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s`;
  try {
    const remark = await stage();
    console.log(`ok     ${seconds()}  ${remark ?? ""}`.trimEnd());
  } catch (error) {
    console.log(`FAILED ${seconds()}`);
    throw error;
  }
}

process.once("exit", () => rmSync(temporary, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
await verify().catch(tellAndFail);
