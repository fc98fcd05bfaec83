import { type Frame, NotFoundError, PathError, type TestReport, type TestResult, type Workspace } from "@swarm/core";

/** Frames that are kept of one failure: where it began, and where it ended. */
const OUTER = 3;
const INNER = 7;
/** Characters that are kept of a line. */
const LINE_LIMIT = 200;
/** Files that are longer, in bytes, are not looked into. */
const FILE_LIMIT = 1024 * 1024;

/** A report whose failing tests say what stands in the lines that led to their failure, as far as those can be read. */
export async function withSources(workspace: Workspace, report: TestReport): Promise<TestReport> {
  const files = new Map<string, string[]>();
  const tests: TestResult[] = [];
  for (const { frames: told, ...test } of report.tests) {
    const frames = framesOf(test, told ?? []);
    for (const { path } of frames) {
      if (!files.has(path)) files.set(path, await linesOf(workspace, path));
    }
    const sources = frames.map(({ path, line }) => ({
      location: `${path}:${line}`,
      source: files.get(path)?.[line - 1]?.trim().slice(0, LINE_LIMIT) || null,
    }));
    tests.push(sources.length === 0 ? test : { ...test, frames: sources });
  }
  return { ...report, tests };
}

/** Each place once where it comes again and again, as in a recursion. */
function framesOf({ status, location }: TestResult, told: readonly Frame[]): { path: string; line: number }[] {
  if (status !== "failed" && status !== "error") return [];
  const places = told.map((frame) => frame.location);
  if (location !== null && places.at(-1) !== location) places.push(location);
  const distinct = [...new Set(places)];
  const kept = distinct.length > OUTER + INNER ? [...distinct.slice(0, OUTER), ...distinct.slice(-INNER)] : distinct;
  return kept.flatMap((place) => {
    const [, path, line] = /^(.+):(\d+)$/.exec(place) ?? [];
    return path && line ? [{ path, line: Number(line) }] : [];
  });
}

async function linesOf(workspace: Workspace, path: string): Promise<string[]> {
  try {
    const data = await workspace.read(path);
    return data.length > FILE_LIMIT ? [] : Buffer.from(data).toString().toWellFormed().split("\n");
  } catch (error) {
    if (error instanceof NotFoundError || error instanceof PathError) return []; // The tests removed it, or a frame names what is no file.
    throw error;
  }
}
