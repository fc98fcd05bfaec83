/** Where commands find their own empty home and temporary folders. */
export const TEMPORARY = "/tmp";
export const HOME = "/tmp/home";

/** What every command is given, and nothing of the host's beside it: no key, no setting that changes how programs act. */
export function baseEnvironment(path: readonly string[]): Record<string, string> {
  return {
    PATH: path.join(":"),
    LANG: "C.UTF-8",
    TZ: "UTC",
    CI: "1",
    NO_COLOR: "1",
    FORCE_COLOR: "0",
    PYTHONDONTWRITEBYTECODE: "1",
    PYTHONHASHSEED: "0",
  };
}
