import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { InvalidInputError, messageOf } from "@swarm/core";
import { PROVIDERS } from "@swarm/llm/models";
import { localSandbox } from "@swarm/sandbox";
import type { CliIO } from "../io.ts";
import { writeProblem } from "../require-writable.ts";
import { loadSettings } from "../settings/load-settings.ts";
import { providerEnvironment } from "../settings/policy.ts";
import { firstLine, oneLine } from "../view/line.ts";
import type { Check } from "./check.ts";
import { checkRunners } from "./runners.ts";

const MOST_MS = 15_000;

/** Leaves nothing behind, though it tries whether logs can be written. Values of keys are in no result. */
export async function checkMachine(io: Pick<CliIO, "cwd" | "env">, runs: string): Promise<Check[]> {
  const { env } = io;
  return [
    checkNode(),
    checkFolder(runs),
    ...(await Promise.all([
      checkProgram("git", ["git", "--version"], env, { required: true, costs: "patches cannot be made" }),
      checkProgram("Python", ["python3", "--version"], env, {
        required: false,
        costs: "Python tasks cannot be tested",
      }),
    ])),
    checkBubblewrap(),
    ...(await checkRunners(io.cwd)),
    ...(await checkSettings(io)),
  ];
}

function checkNode(): Check {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const ok = major > 22 || (major === 22 && minor >= 18);
  return { name: "Node", ok, required: true, found: process.version, costs: "swarm needs Node 22.18 or later" };
}

async function checkProgram(
  name: string,
  [program = "", ...args]: readonly string[],
  env: CliIO["env"],
  rest: Pick<Check, "required" | "costs">,
): Promise<Check> {
  try {
    const { stdout, stderr } = await promisify(execFile)(program, args, { env: { ...env }, timeout: MOST_MS });
    return { name, ok: true, found: firstLine(stdout || stderr), ...rest };
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
    const found = missing
      ? `${program} is not on the PATH`
      : firstLine(String((error as { stderr?: unknown }).stderr || error));
    return { name, ok: false, found, ...rest };
  }
}

function checkFolder(runs: string): Check {
  const problem = writeProblem(runs);
  const costs = "no run can write its log there; --runs names another";
  return { name: "runs folder", ok: !problem, required: true, found: problem ?? `${runs} can be written to`, costs };
}

const BOUNDS = {
  "cgroups-v2": "works, and control groups (version 2) bound the memory and number of processes",
  "cgroups-v1": "works, and control groups (version 1) bound the memory and number of processes",
  watched: "works; no control group can be made, so memory and number of processes are watched instead",
  docker: "does not work, but Docker does",
  none: "works",
};

/** Whether it works here, not just whether it is there: a container may forbid what it needs. */
function checkBubblewrap(): Check {
  const check = { name: "bubblewrap", required: false, costs: "code that is tried out runs as you, network included" };
  try {
    return { ...check, ok: true, found: BOUNDS[localSandbox({ isolation: "required" }).bounds] };
  } catch (error) {
    return { ...check, ok: false, found: oneLine(messageOf(error), 300) };
  }
}

async function checkSettings(io: Pick<CliIO, "cwd" | "env">): Promise<Check[]> {
  const check = { name: "settings", required: true, costs: "no run begins, and keys were not looked for" };
  try {
    const settings = await loadSettings({}, io);
    return [{ ...check, ok: true, found: "all are within their ranges" }, ...checkKeys(providerEnvironment(settings))];
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    return [{ ...check, ok: false, found: oneLine(error.message, 300) }];
  }
}

/** A key that a server of one's own may ask for is left out. */
function checkKeys(env: CliIO["env"]): Check[] {
  return PROVIDERS.flatMap(({ name, keyVariables, local }) => {
    if (keyVariables.length === 0 || local) return [];
    const ok = keyVariables.some((variable) => env[variable] !== undefined);
    const found = ok ? "is set" : "is not set";
    const costs = `models of ${name} cannot be called; --mock needs no key`;
    return [{ name: keyVariables.join(" or "), ok, required: false, found, costs }];
  });
}
