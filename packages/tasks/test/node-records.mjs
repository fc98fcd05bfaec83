import { relative } from "node:path";

/** A reporter of node:test that writes what happens to each test, suites left out, as JSON lines. */
export default async function* records(events) {
  const names = [];
  for await (const { type, data } of events) {
    if (type === "test:start") {
      names[data.nesting] = data.name;
    } else if ((type === "test:pass" || type === "test:fail") && data.details.type !== "suite") {
      const test = [relative(process.cwd(), data.file), ...names.slice(0, data.nesting), data.name].join(" > ");
      const error = data.details.error;
      const text = error === undefined ? "" : String(error.cause?.stack ?? error.cause ?? error.message);
      yield `${JSON.stringify({ test, event: type === "test:pass" ? "passed" : "failed", text })}\n`;
    }
  }
}
