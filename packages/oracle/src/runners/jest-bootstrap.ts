import { SCRIPT_PRELUDE } from "./script-prelude.ts";

/**
 * The side of the jest adapter that runs in the workspace: jest and the tests in one process. Jest takes reporters and
 * transformers as files only: they are written into a fresh temporary folder, before anything of the workspace is loaded.
 */
export const JEST_BOOTSTRAP = `${SCRIPT_PRELUDE}${String.raw`
const { createRequire } = require("node:module");
const { runCLI } = require(runner);

const CONFIGURATIONS = ["js", "cjs", "mjs", "json"].map((extension) => join(root, "jest.config." + extension));

// A test is told of by an object of its own at each event: it is known by its file, its names and its order.
function counter() {
  const counts = new Map();
  return (file, { ancestorTitles, title }) => {
    const id = idOf(file, [...ancestorTitles, title]);
    counts.set(id, (counts.get(id) ?? 0) + 1);
    return counts.get(id) === 1 ? id : id + " [" + counts.get(id) + "]";
  };
}
const idAtStart = counter();
const idAtResult = counter();
const idAtEnd = counter();

// Jest passes an error of a test on as the text of its stack.
function toldBy(text, isMatcher, fallback) {
  const [, name, message] = /^(?:(\w+)(?: \[\w+\])?: )?([^]*?)(?=\n\s+at |$)/.exec(text);
  const errorType = isMatcher || message.startsWith("assert") ? "AssertionError" : (name ?? null);
  return { ...found({ message, stack: text }, fallback), errorType };
}

function resultOf({ status, failing, failureMessages, failureDetails, location }, file) {
  if (status === "passed") return { status: failing ? "xfailed" : "passed", ...nothing };
  if (status !== "failed") return { status: "skipped", ...nothing };
  const declared = location ? relative(root, file) + ":" + location.line : null;
  const isMatcher = failureDetails.some((details) => details?.matcherResult);
  return { status, ...toldBy(String(failureMessages[0]), isMatcher, declared) };
}

const collected = [];
const told = new Map();
// Whether a file has no test, which jest takes for an error, and which is seen from what is reported.
let empty = false;
function tell(id, file, test) {
  const result = resultOf(test, file);
  if (list) collected.push(id);
  if (list || !isWanted(id)) return;
  told.set(id, result.status);
  failed ||= result.status === "failed";
  send({ kind: "test", id, file: relative(root, file), ...result, ms: test.duration ?? 0 });
}

class Reporter {
  onRunStart() {
    ready();
  }
  onTestCaseStart({ path }, test) {
    const id = idAtStart(path, test);
    if (isWanted(id)) send({ kind: "start", id });
  }
  onTestCaseResult({ path }, test) {
    if (test.status !== "pending") tell(idAtResult(path, test), path, test);
  }
  onTestFileResult({ path: file }, { testExecError, testResults }) {
    const id = relative(root, file);
    const [skipped, ran] = [true, false].map((one) => testResults.filter(({ status }) => (status === "pending") === one));
    for (const test of ran) {
      const id = idAtEnd(file, test);
      const { status, ...known } = resultOf(test, file);
      // An error that came after the end of a test has changed its result.
      if (told.has(id) && told.get(id) !== status) broken("ERROR_OUTSIDE_TESTS", id, relative(root, file), known);
    }
    for (const test of skipped) tell(idAtEnd(file, test), file, test);
    if (!testExecError) return;
    const { message, stack } = testExecError;
    if (testResults.length > 0) broken("ERROR_OUTSIDE_TESTS", id, id, toldBy(String(stack || message), false, null));
    else if (/must contain at least one test/.test(message)) empty = true;
    else broken("COLLECTION_FAILED", id, id, foundAtLoad(testExecError, file));
  }
}

function isWanted(id) {
  return only === null || only.includes(id);
}

// A pattern that no name fits skips all tests, which names them all.
function pattern() {
  if (list) return { testNamePattern: "^(?!)" };
  if (!only) return {};
  const entryOf = (id) => entries.find((entry) => id.startsWith(entry + " > ")) ?? "";
  const names = only.map((id) => id.slice(entryOf(id).length + 3).replace(/ \[\d+\]$/, ""));
  const escaped = names.map((name) => name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&").replaceAll(" > ", "( >)? "));
  return { testNamePattern: "^(" + escaped.join("|") + ")( \\[\\d+\\])?$" };
}

// Types are erased with blanks, so that every line and column stays.
const TRANSFORMER = ${"`"}
const { stripTypeScriptTypes } = require("node:module");
module.exports = { process: (source) => ({ code: stripTypeScriptTypes(source) }) };
${"`"};

// What is used where the task has no configuration of its own.
function configuration(folder) {
  const own = CONFIGURATIONS.find((path) => existsSync(path));
  if (own) return own;
  const babel = ["jest-cli", "jest-config", "babel-jest"].reduce((from, name) => createRequire(from).resolve(name), require.resolve(runner));
  const transformer = join(folder, "transformer.cjs");
  writeFileSync(transformer, TRANSFORMER);
  return stringify({
    rootDir: root,
    testRegex: [".*"],
    extensionsToTreatAsEsm: [".ts", ".mts"],
    transform: {
      "\\.[cm]?ts$": transformer,
      "\\.[cm]?jsx?$": [babel, { configFile: false, babelrc: false }],
    },
  });
}

async function main() {
  const folder = mkdtempSync(join(tmpdir(), "jest-"));
  const reporter = join(folder, "reporter.cjs");
  globalThis.swarmReporter = Reporter;
  writeFileSync(reporter, "module.exports = globalThis.swarmReporter; delete globalThis.swarmReporter;");
  const { results } = await runCLI(
    {
      _: files,
      $0: "jest",
      config: configuration(folder),
      rootDir: root,
      runTestsByPath: true,
      runInBand: true,
      reporters: [reporter],
      ci: true,
      bail: 0,
      cache: false,
      cacheDirectory: folder,
      color: false,
      coverage: false,
      passWithNoTests: true,
      testLocationInResults: true,
      watchman: false,
      ...pattern(),
    },
    [root],
  );
  if (list) send({ kind: "collected", ids: collected });
  if (!results.success && !failed && !empty) throw new Error("jest found something wrong that it did not report");
  finish(!failed);
}

main().catch(crash);
`}`;
