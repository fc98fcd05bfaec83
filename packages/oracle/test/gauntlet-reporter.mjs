import { relative, sep } from "node:path";

/** A reporter of node:test that yields a JSON line for each test; a workspace is a folder below the current one. */
export default async function* results(source) {
  const names = {};
  for await (const { type, data } of source) {
    if (type === "test:start") names[data.file] = [...(names[data.file] ?? []).slice(0, data.nesting), data.name];
    if ((type !== "test:pass" && type !== "test:fail") || data.details.type === "suite") continue;
    const [folder, ...path] = relative(process.cwd(), data.file).split(sep);
    const test = [path.join("/"), ...names[data.file].slice(0, data.nesting), data.name].join(" > ");
    const outcome = type === "test:fail" ? "failed" : (data.skip ?? data.todo) === undefined ? "passed" : "skipped";
    yield `${JSON.stringify({ folder, test, outcome })}\n`;
  }
}
