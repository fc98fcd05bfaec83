// Every `npm run …` of this repository comes through here. On any machine with Node >= 20, npm and git it sets the checkout
// up on first use, finds a Node that runs the TypeScript sources as they are, and hands the command over to it.
// (The scripts in package.json say `exec`, so that npm's signals reach this process and do not end with npm's shell.)
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { SetUpError, setUp } from "./set-up.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const bin = join(root, "node_modules", ".bin");

/** The sources run as they are, and so need more than the built packages do: type stripping and `await using`. */
const SOURCES_NEED_NODE = 24;

/** Packages import each other's sources by this export condition, so nothing has to be built before it runs. */
const fromSource = (file) => ["--conditions=@swarm/source", join(root, file)];

/** What Node is given for each command, before the caller's own arguments. */
const COMMANDS = {
  demo: () => fromSource("scripts/demo.ts"),
  test: () => [join(root, "node_modules/vitest/vitest.mjs"), "run", "--root", root],
  "test:live": () => fromSource("scripts/test-live.ts"),
  swarm: () => fromSource("packages/cli/src/main.ts"),
  bench: (args) => fromSource(`bench/${benchNamed(args.shift())}.ts`),
  verify: () => fromSource("scripts/verify.ts"),
  build: () => fromSource("scripts/build.ts"),
  format: () => [join(root, "node_modules/@biomejs/biome/bin/biome"), "check", "--write", root],
};

const [name, ...args] = process.argv.slice(2);
if (!Object.hasOwn(COMMANDS, name ?? "")) fail(`usage: npm run ${Object.keys(COMMANDS).join("|")}`);
const command = COMMANDS[name](args);
const node = nodeForSources();
try {
  await setUp(root, (line) => process.stderr.write(`${line}\n`));
} catch (error) {
  if (!(error instanceof SetUpError)) throw error;
  fail(error.message);
}
handOver(node, [...command, ...args], name === "swarm" ? callersFolder() : process.cwd());

function benchNamed(name) {
  const names = readdirSync(join(root, "bench"))
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .map((file) => file.slice(0, -3));
  if (names.includes(name)) return name;
  const available = names.length === 0 ? "There are none yet." : `Available: ${names.join(", ")}.`;
  return fail(`${name === undefined ? "Which benchmark?" : `There is no benchmark "${name}".`} ${available}`);
}

/** This Node if it is new enough, otherwise the one that set-up installs, where there is one for this platform. */
function nodeForSources() {
  if (Number.parseInt(process.versions.node, 10) >= SOURCES_NEED_NODE) return process.execPath;
  const packaged = `node-${process.platform}-${process.arch}`;
  if (Object.hasOwn(manifest.optionalDependencies, packaged))
    return join(root, "node_modules", packaged, "bin", "node");
  return fail(
    `Working on Swarm needs Node >= ${SOURCES_NEED_NODE}; this is ${process.version}, and set-up has no newer one for ` +
      `${process.platform}-${process.arch}. Install one from https://nodejs.org and run the command again.`,
  );
}

/** Where the caller stands: npm runs a script at the root of its package, whichever folder it was called in. */
function callersFolder() {
  const here = process.cwd();
  return here === root ? (process.env.INIT_CWD ?? here) : here;
}

/** Runs the command in the caller's place: its streams, its exit code and its signals are passed through. */
function handOver(node, argv, cwd) {
  const path = [bin, process.env.PATH];
  if (node !== process.execPath) path.unshift(dirname(node));
  const env = { ...process.env, PATH: path.join(delimiter) };
  const child = spawn(node, argv, { stdio: "inherit", env, cwd });
  child.once("error", (error) =>
    fail(`${node} cannot start (${error.message}). Install Node >= ${SOURCES_NEED_NODE}.`),
  );
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, forwardTo(child));
  child.once("close", (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** What to do with a signal is the child's decision. One signal may arrive twice (from the caller and through npm). */
function forwardTo(child) {
  let last = 0;
  return (signal) => {
    const fromTerminal = signal === "SIGINT" && process.stdin.isTTY; // the child has had it already, from the terminal
    const again = Date.now() - last < 300;
    last = Date.now();
    if (!fromTerminal && !again) child.kill(signal);
  };
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
