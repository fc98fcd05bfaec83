export { GAUNTLET, type GauntletCheat, type GauntletTask, KINDS, readCheats, readTasks } from "./cases.ts";
export {
  type GauntletCandidate,
  type GauntletJudge,
  type GauntletOpinion,
  JUDGES,
  type JudgeName,
  judgeNamed,
} from "./judges.ts";
export { type PlainOpinions, plainOpinions } from "./plain-opinions.ts";
export {
  type GauntletCase,
  type GauntletOptions,
  type GauntletResult,
  gauntletCases,
  runGauntlet,
} from "./run-gauntlet.ts";
