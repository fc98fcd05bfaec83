import type { Step, Team, TeamRef } from "@swarm/core";
import { localSandbox } from "@swarm/sandbox";
import { sharedFrom } from "../elsewhere/shared.ts";
import { silentModel } from "../run/models.ts";
import { cacheIn } from "../run/prepare.ts";
import { secretsOf } from "../settings/secrets.ts";
import { teamOfRef } from "../teams/teams.ts";
import { knownTeams } from "./known-teams.ts";
import { processSetting } from "./process-environment.ts";

/** What a worker process of `--executor process` makes its teams by; without a step only to see whether there is one. */
export async function makeTeam(ref: TeamRef, step: Step | null): Promise<Team> {
  if (step === null) return teamOfRef(ref).from(ref, silentModel);
  const { settings, options, store, isolation, cwd } = processSetting();
  const teams = knownTeams(settings, { cacheDirectory: cacheIn(cwd), setBy: () => "team" });
  const team = await teams.find(({ name }) => name === ref.name)!.make(ref.config, step);
  const shared = await sharedFrom(options, settings, cwd);
  const sandbox = localSandbox({ store, isolation, secrets: secretsOf(settings), ...shared });
  return { ...team, defaults: { ...team.defaults, sandbox: () => sandbox } };
}
