/**
 * The one table of what may differ in the free output of two equal runs. Resume, replay, executors and tests compare
 * through it; nothing else makes two logs equal. Each mask has its reason.
 */
export const MASKS: readonly { name: string; pattern: RegExp; why: string }[] = [
  { name: "temporary", pattern: /\/tmp\/[\w.-]*[\w-]/g, why: "temporary names are random" },
  { name: "address", pattern: /\b0x[0-9a-fA-F]{6,16}\b/g, why: "objects print where they lie in memory" },
  {
    name: "port",
    pattern: /\b(?:127\.0\.0\.1|localhost|\[::1\]):\d{2,5}\b/g,
    why: "ephemeral ports are given out by the system",
  },
  { name: "pid", pattern: /\bpid[ =:]+\d+|\(node:\d+\)/gi, why: "process ids are given out by the system" },
  {
    name: "time",
    pattern: /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?Z?|\b\d{1,2}:\d\d:\d\d(?:\.\d+)?\b/g,
    why: "clocks go on",
  },
  {
    name: "duration",
    pattern:
      /\bduration_ms:? \d+(?:\.\d+)?|\b\d[\d,]*(?:\.\d+)?(?:e-?\d+)?(?: ?(?:ns|µs|us|ms|s|secs?)\b| (?:milliseconds?|seconds?)\b)/g,
    why: "durations are measurements",
  },
];

/** What no text is without that one of {@link MASKS} fits: in most strings of a log none has to be looked for. */
const HINT = /\d|\/tmp\//;

export function mask(text: string): string {
  if (!HINT.test(text)) return text;
  return MASKS.reduce((masked, { name, pattern }) => masked.replace(pattern, `<${name}>`), text);
}
