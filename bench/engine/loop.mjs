// What every contender does, and what it does it with. The loop: an architect specifies, a developer builds, the tests run, a
// debugger repairs while they fail, a reviewer reports. The task, the instructions of the roles, the descriptions of their tools
// and the answers of the model are the same for all, and so is how the tests are run.
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import material from "./material.json" with { type: "json" };

export const ROLES = ["architect", "developer", "debugger", "reviewer"];
export const MOST_REPAIRS = 3;
export const { task, systems, tools } = material;

/** What was done since the last reset: by it a run shows that it did as much as the others. */
export const counts = { calls: 0, writes: 0, tests: 0, characters: 0 };

/** An answer of the model, at once: a text, or a file to write. `shown` is the text that the model was given. */
export function answerOf(role, { afterTool, shown }) {
  counts.calls += 1;
  counts.characters += shown.length;
  if (role === "architect") return { text: JSON.stringify({ specification: material.specification }) };
  if (role === "reviewer") return { text: material.report };
  const { file, says } = role === "developer" ? material.wrong : material.right;
  return afterTool ? { text: says } : { write: file };
}

/** Tokens that each answer is said to have taken. */
export const TOKENS = { input: 1_000, output: 200 };

/** The files that a run works on. */
export class Workspace {
  files = { ...task.files };

  write({ path, content }) {
    counts.writes += 1;
    this.files[path] = content;
    return `${path} was written.`;
  }

  test() {
    return runTests({ ...this.files, ...task.tests });
  }
}

/** The tests run as a command in a folder of their own; or without a process, so that only the contender's own cost is left. */
export async function runTests(files) {
  const command = testCommand();
  if (command === null) {
    const { path, content } = material.right.file;
    return { passed: files[path].toString() === content, output: material.failure };
  }
  const folder = await mkdtemp(join(tmpdir(), "run-"));
  try {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    return await new Promise((resolve) => {
      const [program, ...args] = command;
      execFile(program, args, { cwd: folder }, (error, stdout, stderr) =>
        resolve({ passed: error === null, output: (stdout + stderr).slice(-4_000) || `code ${error?.code}` }),
      );
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The command that decides, counted. */
export function testCommand() {
  counts.tests += 1;
  return JSON.parse(process.env.TEST_COMMAND);
}

const block = (tag, text) => `<${tag}>\n${text}\n</${tag}>`;
const about = ({ files }) => [
  block("task", task.prompt),
  block("files", Object.keys({ ...files, ...task.tests }).join("\n")),
];
const testTexts = Object.values(task.tests).map((text) => block("file", text));

/** What the roles are asked. */
export const prompts = {
  architect: ({ workspace }) =>
    [
      ...about(workspace),
      ...testTexts,
      "The task brings its tests. Write the specification.",
      'Answer in the form {"specification":"What to build, precisely."}',
    ].join("\n\n"),
  developer: ({ workspace, specification }) =>
    [...about(workspace), block("specification", specification), ...testTexts, "Build it."].join("\n\n"),
  debugger: ({ workspace, specification, failure, diagnoses }) =>
    [
      ...about(workspace),
      block("specification", specification),
      ...testTexts,
      ...diagnoses.map((text) => block("diagnosis", text)),
      block("failure", failure),
      "Find the cause of this failure and mend it.",
    ].join("\n\n"),
  reviewer: ({ workspace, specification, diagnoses, passed }) =>
    [
      ...about(workspace),
      block("specification", specification),
      ...diagnoses.map((text) => block("diagnosis", text)),
      `The tests ${passed ? "pass" : "fail"} after ${diagnoses.length} repairs. Write the closing report.`,
    ].join("\n\n"),
};
