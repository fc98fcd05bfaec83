export { EXIT, EXIT_CODES } from "./exit-codes.ts";
export { COMMANDS, type Command, type Flag } from "./flags.ts";
export { type CliIO, type Interrupt, processIO } from "./io.ts";
export { runCli } from "./run-cli.ts";
export { loadSettings, type SettingSources } from "./settings/load-settings.ts";
export { type LogLevel, SETTINGS, type Setting, type SettingKind, type Settings } from "./settings/settings.ts";
