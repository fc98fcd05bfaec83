import type { ScriptedCall } from "@swarm/core/testing";
import type { MockDelivery } from "../read-task-file.ts";

type Files = Record<string, string>;

/** A look at the files that are to be written, or around where there are none yet. */
export function look({ suite }: MockDelivery, files: Files): ScriptedCall[] {
  const paths = suite ? [] : Object.keys(files);
  if (paths.length === 0) return [{ tool: "list_dir", args: { path: "." } }];
  return paths.map((path) => ({ tool: "read_file", args: { path } }));
}

export function write(files: Files): ScriptedCall[] {
  return Object.entries(files).map(([path, content]) => ({ tool: "write_file", args: { path, content } }));
}

/** A first try of code that has no tests yet: it is loaded. */
export function tryOut(delivery: MockDelivery, files: Files): ScriptedCall[] {
  if (!delivery.suite) return tests(delivery);
  const modules = Object.keys(files).map((path) => path.replace(/\.py$/, "").replaceAll("/", "."));
  return [{ tool: "run", args: { argv: ["python3", "-c", `import ${modules.join(", ")}`] } }];
}

/** A run of the tests: those that the task brings, or the role's own. */
export function tests({ suite }: MockDelivery): ScriptedCall[] {
  if (!suite) return [{ tool: "run_tests", args: {} }];
  const argv = ["python3", "-m", "pytest", "-q", "-p", "no:cacheprovider"];
  return [{ tool: "run", args: { argv, timeoutSeconds: 60 } }];
}

/** The end of a role's work. */
export function finish({ files, says }: MockDelivery["wrong"]): ScriptedCall[] {
  const paths = Object.keys(files);
  const plan = `Wrote ${paths.join(", ")}.\nRan it.`;
  return [{ tool: "finish", args: { explanation: says, plan, entryPoint: paths[0] ?? "" } }];
}
