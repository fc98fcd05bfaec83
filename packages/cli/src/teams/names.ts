/** The teams of the command, as `--team` names them. Apart from what each is, which takes longer to load than `--help` may. */
export const TEAM_NAMES = ["codeswarm", "dev-team", "self-healing", "coder"] as const;
export type TeamName = (typeof TEAM_NAMES)[number];

export const DEFAULT_TEAM: TeamName = "codeswarm";
