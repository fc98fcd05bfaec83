import { existsSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { CommandFailed, run } from "./run.ts";
import { entriesOf, packagesOf, readManifest, root } from "./workspace.ts";

/** The oldest Node that the packages support. */
const OLDEST_NODE = "22.18.0";

/**
 * What the README's first program imports that a check cannot have (a provider with a key), and the file that takes its
 * place when the program is run: a scripted model that solves the README's task. Type checks see the program as it stands.
 */
const STAND_INS: Readonly<Record<string, { file: string; text: string }>> = {
  "@swarm/llm/anthropic": {
    file: "scripted-anthropic.ts",
    text: `import { loadTask, mockModel } from "@swarm/tasks";
const model = mockModel(await loadTask("binary-search-tree"));
export const anthropic = (_id: string) => model;
`,
  },
};

/** Fails a program whose result, by the README's convention called `trajectory`, is not a passed verdict. */
const EXPECTATION = `
if (!trajectory.verdict.passed) throw new Error("hello world did not pass: " + JSON.stringify(trajectory.verdict));
`;

/**
 * Does what a reader of the README does, in an empty folder outside the workspace: installs the packed packages, types the
 * first program, type-checks it and runs it, on this Node and on the oldest one. Every entry of every package is
 * type-checked and loaded with it. Resolves to the versions of Node.
 */
export async function helloWorld(directory: string, tarballs: readonly string[], readme: string): Promise<string[]> {
  const program = firstProgram(readme);
  const runnable = withStandIns(program);
  const files = {
    "package.json": JSON.stringify(manifestFor(tarballs)),
    "tsconfig.json": JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files: ["hello.ts", "entries.ts"] }),
    "hello.ts": program,
    "entries.ts": everyEntry(),
    "run.ts": runnable.text + EXPECTATION,
    ...runnable.files,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);

  await run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: directory });
  await run(join(directory, "node_modules/.bin/tsc"), ["-p", "."], { cwd: directory });
  const versions: string[] = [];
  for (const node of nodesIn(directory)) {
    await run(node, ["entries.ts"], { cwd: directory });
    await run(node, ["run.ts"], { cwd: directory });
    versions.push((await run(node, ["--version"])).trim());
  }
  return versions;
}

/** As strict as a user can be: the declarations of the packages are checked too. */
const COMPILER_OPTIONS = { noEmit: true, strict: true, module: "nodenext", target: "es2024", types: ["node"] };

/** The packages, what they ask their user to install beside them, a compiler, and the oldest Node. */
function manifestFor(tarballs: readonly string[]) {
  const { devDependencies: ours = {} } = readManifest(root);
  const peers = packagesOf().flatMap(({ manifest }) =>
    Object.keys(manifest.peerDependencies ?? {}).map((name) => [name, manifest.devDependencies?.[name] ?? "*"]),
  );
  const oldestNode =
    PACKAGED_NODE in (readManifest(root).optionalDependencies ?? {}) ? [[PACKAGED_NODE, OLDEST_NODE]] : [];
  return {
    private: true,
    type: "module",
    dependencies: Object.fromEntries([...tarballs.map((path) => [nameOf(path), `file:${path}`]), ...peers]),
    devDependencies: {
      ...Object.fromEntries(oldestNode),
      ...Object.fromEntries(["typescript", "@types/node"].map((name) => [name, ours[name]])),
    },
  };
}

/** Where npm has a build of Node for this platform, it is under this name. */
const PACKAGED_NODE = `node-${process.platform}-${process.arch}`;

function nodesIn(directory: string): string[] {
  const oldest = join(directory, "node_modules", PACKAGED_NODE, "bin", "node");
  return [process.execPath, oldest].filter((path) => existsSync(path));
}

function everyEntry(): string {
  const entries = packagesOf().flatMap(entriesOf);
  return entries.map(({ specifier }, index) => `export * as entry${index} from "${specifier}";\n`).join("");
}

/** The text of the first block of TypeScript. */
export function firstProgram(readme: string): string {
  const block = /^```ts\n(.*?)^```$/ms.exec(readme)?.[1];
  if (block === undefined)
    throw new CommandFailed("README.md has no ```ts block, so there is no hello world to check.");
  return block;
}

/** The program with each import that cannot be had turned to its stand-in, and the files that it needs then. */
export function withStandIns(program: string): { text: string; files: Record<string, string> } {
  const files: Record<string, string> = {};
  let text = program;
  for (const [specifier, { file, text: content }] of Object.entries(STAND_INS)) {
    if (!text.includes(`from "${specifier}"`)) continue;
    text = text.replaceAll(`from "${specifier}"`, `from "./${file}"`);
    files[file] = content;
  }
  return { text, files };
}

/** `swarm-core-1.2.3.tgz` is `@swarm/core`. */
function nameOf(tarball: string): string {
  return basename(tarball).replace(/^swarm-(.+?)-\d.*$/, "@swarm/$1");
}
