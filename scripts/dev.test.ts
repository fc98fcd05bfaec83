import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { root } from "./workspace.ts";

// dev.mjs in a checkout of its own, with a stand-in for npx that counts its calls: no package is installed.
let checkout: string;

beforeEach(() => {
  checkout = realpathSync(mkdtempSync(join(tmpdir(), "swarm-dev-")));
  for (const folder of ["scripts", "bench", "packages/core", "bin"])
    mkdirSync(join(checkout, folder), { recursive: true });
  for (const file of ["dev.mjs", "set-up.mjs"]) cpSync(join(root, "scripts", file), join(checkout, "scripts", file));
  cpSync(join(root, "package.json"), join(checkout, "package.json"));
  write("pnpm-lock.yaml", "lockfileVersion: '9.0'\n");
  write("packages/core/package.json", "{}");
  write("bench/echo.ts", `console.log(JSON.stringify(process.argv.slice(2) satisfies string[]));`);
  write("bench/end.ts", `process.exit(7);`);
  write(
    "bench/wait.ts",
    `process.on("SIGTERM", () => process.exit(9)); setInterval(() => {}, 1000); console.log("up");`,
  );
  npx("mkdir -p node_modules; echo noise");
});

afterEach(() => rmSync(checkout, { recursive: true, force: true }));

function write(path: string, text: string): void {
  writeFileSync(join(checkout, path), text);
}

/** Lets npx do this from now on, after noting that it was called. */
function npx(script: string): void {
  writeFileSync(join(checkout, "bin/npx"), `#!/bin/sh\necho "$@" >> calls\n${script}\n`, { mode: 0o755 });
}

function npxCalls(): string[] {
  const calls = join(checkout, "calls");
  return existsSync(calls) ? readFileSync(calls, "utf8").trim().split("\n") : [];
}

function start(...args: string[]) {
  return startWith({}, ...args);
}

function startWith({ cwd = checkout, env: more = {} }: { cwd?: string; env?: NodeJS.ProcessEnv }, ...args: string[]) {
  const PATH = [join(checkout, "bin"), process.env["PATH"]].join(delimiter);
  const env = { ...process.env, INIT_CWD: undefined, PATH, ...more };
  const child = spawn(process.execPath, [join(checkout, "scripts/dev.mjs"), ...args], { cwd, env });
  const said = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text) => {
    said.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    said.stderr += text;
  });
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal, ...said }));
  return { child, ended };
}

const dev = (...args: string[]) => start(...args).ended;

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
}

test("sets the checkout up on first use only, and keeps stdout for the command", async () => {
  const first = await dev("bench", "echo", "--json", "a b");
  expect(first).toMatchObject({ code: 0, stdout: `["--json","a b"]\n` });
  expect(first.stderr).toMatch(/^Setting up: installing packages with pnpm \d+\.\d+\.\d+ .*\nSet up in \d+ s\.\n$/);
  expect(npxCalls()).toEqual([expect.stringMatching(/^-y pnpm@\d+\.\d+\.\d+ install --frozen-lockfile$/)]);

  expect(await dev("bench", "echo")).toMatchObject({ code: 0, stdout: "[]\n", stderr: "" });
  expect(npxCalls()).toHaveLength(1);
});

test.each([
  ["the lockfile", "pnpm-lock.yaml", "lockfileVersion: '10.0'\n"],
  ["a package's manifest", "packages/core/package.json", `{ "name": "changed" }`],
])("sets up again when %s has changed", async (_what, file, text) => {
  await dev("bench", "echo");
  write(file, text);
  await dev("bench", "echo");
  expect(npxCalls()).toHaveLength(2);
});

test("of two calls at once, one sets up and the other waits for it", async () => {
  npx("sleep 0.5; mkdir -p node_modules");
  const results = await Promise.all([dev("bench", "echo", "1"), dev("bench", "echo", "2")]);
  expect(results.map((result) => result.stdout)).toEqual([`["1"]\n`, `["2"]\n`]);
  expect(npxCalls()).toHaveLength(1);
  expect(results.map((result) => result.stderr).join("")).toContain("Waiting for a set-up that is running already");
});

test("takes over the lock of a process that is gone", async () => {
  const gone = spawn("true");
  await once(gone, "close");
  mkdirSync(join(checkout, ".swarm"));
  symlinkSync(String(gone.pid), join(checkout, ".swarm/set-up.lock"));
  expect(await dev("bench", "echo")).toMatchObject({ code: 0 });
});

test.each([
  ["getaddrinfo EAI_AGAIN registry", "registry cannot be reached"],
  ["ENOSPC: no space left on device", "The disk is full"],
  ["Error: ERR_PNPM_OUTDATED_LOCKFILE", "does not agree with a package.json"],
  ["something else", "The log above says why"],
])("a failed set-up (%s) says what to do, and is tried again", async (log, advice) => {
  npx(`mkdir -p node_modules; echo "${log}" >&2; exit 3`);
  const failed = await dev("bench", "echo");
  expect(failed).toMatchObject({ code: 1, stdout: "" });
  expect(failed.stderr).toContain(log);
  expect(failed.stderr).toContain(advice);

  npx("true");
  expect(await dev("bench", "echo")).toMatchObject({ code: 0, stdout: "[]\n" });
});

test("an interrupted set-up ends its processes, and is tried again", async () => {
  npx("mkdir -p node_modules; echo $$ > pid; sleep 60");
  const { child, ended } = start("bench", "echo");
  await until(() => existsSync(join(checkout, "pid")) && readFileSync(join(checkout, "pid"), "utf8") !== "");
  child.kill("SIGTERM");
  const stopped = await ended;
  expect(stopped).toMatchObject({ code: 1, stdout: "" });
  expect(stopped.stderr).toContain("stopped by SIGTERM");
  const installer = Number(readFileSync(join(checkout, "pid"), "utf8"));
  expect(() => process.kill(installer, 0)).toThrow("ESRCH");

  npx("true");
  expect(await dev("bench", "echo")).toMatchObject({ code: 0, stdout: "[]\n" });
});

test("swarm runs where its caller stands, though npm runs its scripts at the root", async () => {
  const folder = join(checkout, "packages/core");
  mkdirSync(join(checkout, "packages/cli/src"), { recursive: true });
  write("packages/cli/src/main.ts", "console.log(process.cwd());");
  write("bench/here.ts", "console.log(process.cwd());");
  const byNpm = { env: { INIT_CWD: folder } };
  expect(await startWith(byNpm, "swarm").ended).toMatchObject({ stdout: `${folder}\n` });
  expect(await startWith(byNpm, "bench", "here").ended).toMatchObject({ stdout: `${checkout}\n` });
  const byHand = { cwd: folder, env: { INIT_CWD: tmpdir() } };
  expect(await startWith(byHand, "swarm").ended).toMatchObject({ stdout: `${folder}\n` });
});

test("passes the command's exit code through", async () => {
  expect(await dev("bench", "end")).toMatchObject({ code: 7 });
});

test("passes a signal on and leaves the rest to the command", async () => {
  const { child, ended } = start("bench", "wait");
  await once(child.stdout, "data");
  child.kill("SIGTERM");
  expect(await ended).toMatchObject({ code: 9 });
});

test("ends by the signal that ended the command", async () => {
  const { child, ended } = start("bench", "wait");
  await once(child.stdout, "data");
  child.kill("SIGHUP");
  expect(await ended).toMatchObject({ code: null, signal: "SIGHUP" });
});

test.each([
  [[], "usage: npm run demo|test|test:live|swarm|bench|verify|build|format"],
  [["deploy"], "usage: npm run"],
  [["bench"], "Which benchmark? Available: echo, end, wait."],
  [["bench", "nope"], `There is no benchmark "nope". Available: echo, end, wait.`],
])("refuses %j without setting anything up", async (args, message) => {
  const refused = await dev(...args);
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toContain(message);
  expect(npxCalls()).toEqual([]);
});
