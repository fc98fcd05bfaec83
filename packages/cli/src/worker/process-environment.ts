import type { IsolationChoice } from "@swarm/sandbox";
import type { SharedOptions } from "../elsewhere/shared.ts";
import type { CliIO } from "../io.ts";
import type { Settings } from "../settings/settings.ts";

/** The module that makes teams in a worker process: below this file or, in a bundle, below all of them. */
export const TEAM_MODULE = new URL(
  import.meta.url.endsWith(".ts") ? "./process-team.ts" : "./worker/process-team.js",
  import.meta.url,
);

/** What a worker process is told, as the value of a variable. */
export type ProcessSetting = {
  settings: Settings;
  options: SharedOptions;
  store: string;
  isolation: IsolationChoice;
  cwd: string;
};

const VARIABLE = "SWARM_PROCESS";

/** What a worker process has in its environment: how its teams are made, and what AWS's client finds there. */
export function processEnvironment(
  { settings, options, store, isolation, cwd }: ProcessSetting,
  env: CliIO["env"],
): Record<string, string> {
  const { shared, "s3-endpoint": endpoint, "s3-region": region } = options;
  const told = {
    settings,
    options: { shared, "s3-endpoint": endpoint, "s3-region": region },
    store,
    isolation,
    cwd,
  };
  const aws = Object.entries(env).flatMap(([name, value]) =>
    name.startsWith("AWS_") && value !== undefined ? [[name, value]] : [],
  );
  return { ...Object.fromEntries(aws), [VARIABLE]: JSON.stringify(told) };
}

export function processSetting(): ProcessSetting {
  return JSON.parse(process.env[VARIABLE] ?? "") as ProcessSetting;
}
