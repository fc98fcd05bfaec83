import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import type { GauntletTask } from "@swarm/oracle/gauntlet";

/** What three common judges say of a workspace as an agent left it: whether they let it pass. */
export type Opinions = { exitCode: boolean; junitFile: boolean; summary: boolean };

const REPORT = "report.xml";
const TIME_LIMIT_MS = 20_000;

/** The command that a project runs its tests with, asked for a JUnit file too. */
const COMMANDS: Record<GauntletTask["runner"], readonly [string, ...string[]]> = {
  pytest: ["python3", "-m", "pytest", `--junitxml=${REPORT}`],
  "node:test": [
    ...(["npm", "test", "--"] as const),
    ...["--test-reporter=spec", "--test-reporter-destination=stdout"],
    ...["--test-reporter=junit", `--test-reporter-destination=${REPORT}`],
  ],
};

export async function naiveOpinions(runner: GauntletTask["runner"], workspace: string): Promise<Opinions> {
  const [program, ...args] = COMMANDS[runner];
  const child = spawn(program, args, {
    cwd: workspace,
    env: environment(workspace),
    stdio: ["ignore", "pipe", "ignore"],
    detached: true,
  });
  const limit = setTimeout(() => process.kill(-child.pid!, "SIGKILL"), TIME_LIMIT_MS);
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
  clearTimeout(limit);
  return {
    exitCode: code === 0,
    junitFile: junitPasses(await readFile(join(workspace, REPORT), "utf8").catch(() => "")),
    summary: SUMMARIES[runner](output),
  };
}

/** As a project's own: its virtual environment first on the path, and its root on Python's. */
function environment(workspace: string): NodeJS.ProcessEnv {
  return {
    PATH: [join(workspace, ".venv", "bin"), process.env["PATH"]].join(delimiter),
    HOME: workspace,
    PYTHONPATH: workspace,
    PYTHONDONTWRITEBYTECODE: "1",
    // plugins that happen to be installed cost a second each time
    PYTEST_ADDOPTS: "-p no:cacheprovider -p no:hypothesispytest -p no:benchmark",
    npm_config_update_notifier: "false",
  };
}

function junitPasses(xml: string): boolean {
  return xml.includes("<testcase") && !/<(failure|error)\b/.test(xml);
}

/** The last line of its kind decides. */
const SUMMARIES: Record<GauntletTask["runner"], (output: string) => boolean> = {
  pytest(output) {
    const last = [...output.matchAll(/^=+ (.*) in [\d.]+s.* =+$/gm)].at(-1)?.[1] ?? "";
    return /\d+ passed/.test(last) && !/\d+ (failed|error)/.test(last);
  },
  "node:test"(output) {
    const last = (name: string) => Number([...output.matchAll(new RegExp(`^. ${name} (\\d+)$`, "gmu"))].at(-1)?.[1]);
    return last("fail") === 0 && last("pass") > 0;
  },
};
