/** Lines that tell how a runner could say more, and frames that are no part of the workspace. */
const NOISE: readonly RegExp[] = [
  /^\s*(?:E\s+)?(?:Use -v+ to get|\.\.\.Full output truncated)/,
  /^note: run with `RUST_BACKTRACE/,
  /^goroutine \d+ \[|^created by /,
  /^\s*at .*(?:node:|\/node_modules\/|\/jest-circus\/)/,
  /^\s*\/?(?:usr\/lib\/go|usr\/local\/go|rustc\/)\S*:\d+/,
];

/** The way to a library that a machine has: what follows is the library's own. */
const LIBRARY =
  /(?:file:\/\/)?\/[^\s'"()]*\/(?:node_modules\/(?:\.pnpm\/[^\s'"()/]+\/node_modules\/)?|(?:site|dist)-packages\/|lib\/python3\.\d+\/)/g;

/** A runner's message without what helps nobody to repair: noise, ways to a machine's libraries, lines said again and again. */
export function withoutNoise(message: string): string {
  const lines = message
    .split("\n")
    .filter((line) => !NOISE.some((noise) => noise.test(line)))
    .map((line) => line.replaceAll("/workspace/", "").replace(LIBRARY, "").trimEnd());
  const told: string[] = [];
  let times = 1;
  for (const [index, line] of lines.entries()) {
    if (line === lines[index + 1]) {
      times += 1;
      continue;
    }
    told.push(times === 1 || line === "" ? line : `${line} (${times} times)`);
    times = 1;
  }
  return told.join("\n").trim();
}
