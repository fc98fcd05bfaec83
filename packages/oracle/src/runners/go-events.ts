import { z } from "zod";
import type { Finding, Written } from "./run-written.ts";

/** A line of `go test -json` (cmd/test2json): what happened to a test, or to a package where it names no test. */
const EventSchema = z.object({
  Action: z.string(),
  Package: z.string().optional(),
  Test: z.string().optional(),
  Elapsed: z.number().default(0),
  Output: z.string().default(""),
});
export type GoEvent = z.infer<typeof EventSchema>;

/** Where the tests of a package are: its folder (`""` for the root), and the file of each test by the test's name. */
export type GoPackage = { folder: string; files: ReadonlyMap<string, string> };

/** The events in a program's output; what is none, such as a line of the compiler, is left out. Package by package: Go runs several at once. */
export function goEvents(output: string): GoEvent[] {
  const events = output.split("\n").flatMap((line) => {
    if (!line.startsWith("{")) return [];
    try {
      return EventSchema.safeParse(JSON.parse(line)).data ?? [];
    } catch {
      return [];
    }
  });
  const byPackage = Map.groupBy(events, ({ Package = "" }) => Package);
  return [...byPackage.keys()].sort().flatMap((name) => byPackage.get(name)!);
}

/** The results that `go test -json` wrote. Tests of files that are not known are left out. */
export function readGoTests(packages: ReadonlyMap<string, GoPackage>, { output, error }: Written): Finding[] {
  const events = goEvents(output);
  const findings: Finding[] = [];
  const printed = new Map<string, string>();
  for (const event of events) {
    const found = packages.get(event.Package ?? "");
    const file = found?.files.get(event.Test?.split("/")[0] ?? "");
    if (!found || !file) continue;
    const id = `${file}::${event.Test}`;
    if (event.Action === "output") printed.set(id, (printed.get(id) ?? "") + event.Output);
    if (event.Action === "run") findings.push({ kind: "start", id }, { kind: "collected", ids: [id] });
    const status = STATUS[event.Action];
    if (status === undefined) continue;
    const told = status === "passed" ? "" : linesOf(printed.get(id) ?? "");
    findings.push({
      kind: "test",
      id,
      file,
      status,
      ...placed(told, found.folder),
      message: told === "" ? null : told,
      ms: event.Elapsed * 1_000,
      output: "",
    });
  }
  return [...findings, ...brokenPackages(packages, events, findings, { output, error })];
}

const STATUS: Record<string, "passed" | "failed" | "skipped"> = { pass: "passed", fail: "failed", skip: "skipped" };

/** A package that failed although none of its tests did: it was not built, or ended by itself. */
function brokenPackages(
  packages: ReadonlyMap<string, GoPackage>,
  events: readonly GoEvent[],
  findings: readonly Finding[],
  { output, error }: Pick<Written, "output" | "error">,
): Finding[] {
  const unbuilt = new Set([...output.matchAll(/FAIL\s+(\S+) \[(?:build|setup) failed\]/g)].map(([, name]) => name));
  const ended = events.filter(({ Action, Test }) => Action === "fail" && Test === undefined).map((one) => one.Package);
  const compiler = error + events.flatMap((one) => (one.Action === "build-output" ? [one.Output] : [])).join("");
  return [...packages].flatMap(([name, { folder, files }]): Finding[] => {
    const id = folder === "" ? "." : folder;
    const file = [...files.values()][0] ?? id;
    if (unbuilt.has(name)) {
      const { location, message } = compilerError(compiler);
      return [{ kind: "broken", code: "BUILD_FAILED", id, file, message, location, errorType: null, frames: [] }];
    }
    const tests = new Set(files.values());
    const failed = findings.some((one) => one.kind === "test" && one.status === "failed" && tests.has(one.file));
    if (!ended.includes(name) || failed) return [];
    const said = events.filter((one) => one.Package === name && one.Test === undefined).map((one) => one.Output);
    const message = said.join("").trim();
    return [{ kind: "broken", code: "ERROR_OUTSIDE_TESTS", id, file, ...placed(message, folder), message }];
  });
}

/** The first thing that a compiler said, and all of it. */
export function compilerError(text: string): { location: string | null; message: string } {
  const [, path, line] = /^(?:\.\/)?([^\s:]+\.go):(\d+)(?::\d+)?: /m.exec(text) ?? [];
  return { location: path ? `${path}:${line}` : null, message: text.trim() || "the build failed" };
}

/** What a test said, without what the runner said about it. */
function linesOf(printed: string): string {
  const lines = printed.split("\n").filter((line) => !/^\s*(?:=== |--- (?:FAIL|SKIP|PASS): )/.test(line));
  return lines.join("\n").trim();
}

/** `t.Error` names the file alone; a panic's stack names files in full, the innermost first. */
function placed(text: string, folder: string): { location: string | null; errorType: string | null; frames: string[] } {
  const stack = [...text.matchAll(/^\t\/workspace\/(\S+\.go):(\d+)/gm)].map(([, path, line]) => `${path}:${line}`);
  const [, name, line] = /^\s*([\w.-]+\.go):(\d+): /m.exec(text) ?? [];
  const declared = name ? `${folder === "" ? "" : `${folder}/`}${name}:${line}` : null;
  const frames = stack.length > 0 ? stack.reverse() : declared ? [declared] : [];
  return { location: frames.at(-1) ?? null, errorType: /^panic: /m.test(text) ? "panic" : null, frames };
}
