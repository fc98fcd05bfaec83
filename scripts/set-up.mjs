// Makes a checkout ready to run: installs its packages with pnpm, once. Plain JavaScript, since it runs before anything is
// installed, on any Node from 20. Everything it says goes to stderr: stdout belongs to the command that follows.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export class SetUpError extends Error {}

/** What is known to go wrong, by what the log says, and what to do about it. */
const CAUSES = [
  {
    log: /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|NETWORK_ERROR|META_FETCH_FAIL|error sending request/,
    advice:
      "The package registry cannot be reached. Check the network, or npm's proxy and registry settings, and run the command again.",
  },
  {
    log: /ENOSPC|No space left/,
    advice: "The disk is full: about 1 GB is needed. Make room and run the command again.",
  },
  {
    log: /OUTDATED_LOCKFILE/,
    advice: "pnpm-lock.yaml does not agree with a package.json. Write it anew: npx pnpm install --no-frozen-lockfile",
  },
  {
    log: /EACCES|EPERM|Permission denied/,
    advice: "A folder cannot be written. Make the checkout and npm's cache your own, and run the command again.",
  },
];
const CAUSE_UNKNOWN = "The log above says why. The next call starts the set-up again.";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Far longer than a set-up takes. A lock of this age was left behind, even if its process id is in use again. */
const LOCK_EXPIRES_MS = 15 * 60_000;

/**
 * Installs the packages unless they are installed already for exactly these manifests, this lockfile and this platform.
 * Safe to interrupt (the next call starts over) and to call twice at once (the second waits for the first). Writes
 * nothing outside the checkout but the caches of npm and pnpm.
 *
 * @param {string} root the checkout
 * @param {(line: string) => void} say
 * @throws {SetUpError} with the end of the log and what to do about it
 */
export async function setUp(root, say) {
  const wanted = fingerprint(root);
  if (isSetUp(root, wanted)) return;
  const release = await lock(root, say);
  try {
    if (!isSetUp(root, wanted)) await install(root, wanted, say);
  } finally {
    release();
  }
}

const stampOf = (root) => join(root, "node_modules", ".set-up");

function isSetUp(root, wanted) {
  return existsSync(stampOf(root)) && readFileSync(stampOf(root), "utf8") === wanted;
}

/** Changes whenever an install could give something else. */
function fingerprint(root) {
  const packages = readdirSync(join(root, "packages")).map((name) => `packages/${name}`);
  const manifests = ["examples", "bench", ...packages.sort()].map((directory) => `${directory}/package.json`);
  const hash = createHash("sha256").update(`${process.platform}-${process.arch}`);
  for (const file of ["package.json", "pnpm-lock.yaml", "pnpm-workspace.yaml", ...manifests]) {
    const path = join(root, file);
    if (existsSync(path)) hash.update(`\n${file}\n`).update(readFileSync(path));
  }
  return hash.digest("hex");
}

/** Runs pnpm at the version that package.json names, and leaves the stamp if all went well. */
async function install(root, wanted, say) {
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  say(`Setting up: installing packages with ${packageManager.replace("@", " ")} (once, about 15 s) …`);
  const started = Date.now();
  const seconds = () => Math.round((Date.now() - started) / 1000);
  rmSync(stampOf(root), { force: true });

  let log = "";
  const progress = setInterval(() => say(`  ${seconds()} s: ${lastLines(log, 1)}`), 10_000);
  const result = await run("npx", ["-y", packageManager, "install", "--frozen-lockfile"], root, (text) => {
    log += text;
  }).finally(() => clearInterval(progress));

  if (result.signal) throw new SetUpError(`Set-up was stopped by ${result.signal}. The next call starts it again.`);
  if (result.code !== 0) {
    const advice = CAUSES.find((cause) => cause.log.test(log))?.advice ?? CAUSE_UNKNOWN;
    throw new SetUpError(`${lastLines(log, 20)}\n\nSet-up failed after ${seconds()} s. ${advice}`);
  }
  writeFileSync(stampOf(root), wanted);
  say(`Set up in ${seconds()} s.`);
}

/** In a process group of its own, so that a signal ends npx with the npm and the pnpm under it. */
function run(file, args, cwd, onOutput) {
  const env = {
    ...process.env,
    CI: "true", // pnpm asks no questions
    npm_config_loglevel: "notice", // also under `npm run -s`, which would silence npx's errors
    npm_config_fetch_retry_mintimeout: "1000", // a missing network shows in seconds, not after a minute
    npm_config_fetch_retry_maxtimeout: "5000",
  };
  const child = spawn(file, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  let stoppedBy = null;
  const stop = (signal) => {
    stoppedBy ??= signal;
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, "SIGTERM");
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  child.stdout.setEncoding("utf8").on("data", onOutput);
  child.stderr.setEncoding("utf8").on("data", onOutput);
  return new Promise((resolve, reject) => {
    child.once("error", (error) =>
      reject(new SetUpError(`Set-up needs npm: ${file} cannot start (${error.message}).`)),
    );
    child.once("close", (code, signal) => resolve({ code, signal: stoppedBy ?? signal }));
  }).finally(() => {
    for (const signal of SIGNALS) process.off(signal, stop);
  });
}

/** A symbolic link that names the holder's process: made in one step, and taken over once that process is gone. */
async function lock(root, say) {
  const path = join(root, ".swarm", "set-up.lock");
  mkdirSync(join(root, ".swarm"), { recursive: true });
  for (let waited = false; ; waited = true) {
    try {
      symlinkSync(String(process.pid), path);
      return () => rmSync(path, { force: true });
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    if (isLeftBehind(path)) rmSync(path, { force: true });
    else {
      if (!waited) say("Waiting for a set-up that is running already …");
      await sleep(200);
    }
  }
}

function isLeftBehind(path) {
  try {
    if (Date.now() - lstatSync(path).mtimeMs > LOCK_EXPIRES_MS) return true;
    process.kill(Number(readlinkSync(path)), 0);
    return false;
  } catch (error) {
    return error.code === "ESRCH";
  }
}

function lastLines(text, count) {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(-count)
    .join("\n");
}
