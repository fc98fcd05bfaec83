import { SCRIPT_PRELUDE } from "./script-prelude.ts";

/** The side of the mocha adapter that runs in the workspace: mocha and the tests in one process. */
export const MOCHA_BOOTSTRAP = `${SCRIPT_PRELUDE}${String.raw`
const Mocha = require(runner);
const { stringify: shown } = require(join(runner, "lib/utils.js"));
ready();

const ids = new Map();
function idOfTest(test) {
  if (!ids.has(test)) ids.set(test, unique(idOf(test.file, test.titlePath())));
  return ids.get(test);
}

// Both values, where mocha's own reporters would show their difference. Node's assertions say both in their message.
function comparison(error) {
  if (error === null || typeof error !== "object" || error.showDiff === false || error.generatedMessage) return "";
  if (!("expected" in error) || !("actual" in error)) return "";
  return "expected: " + shown(error.expected) + "\nactual: " + shown(error.actual);
}

function told(error) {
  try {
    return found(error, null, comparison(error));
  } catch {
    return found(error, null);
  }
}

const done = new Set();
function result(test, status, known) {
  if (done.has(test) && status !== "failed") return;
  done.add(test);
  failed ||= status === "failed";
  send({ kind: "test", id: idOfTest(test), file: relative(root, test.file), status, ...known, ms: test.duration ?? 0 });
}

function onFail(runnable, error) {
  if (runnable.type === "test" && !done.has(runnable)) return result(runnable, "failed", told(error));
  // A hook failed, or a test a second time, after its end.
  const file = runnable.file ?? runnable.ctx?.currentTest?.file ?? files[0];
  broken("ERROR_OUTSIDE_TESTS", idOf(file, runnable.titlePath()), relative(root, file), told(error));
}

class Reporter {
  constructor(run) {
    run.on("test", (test) => send({ kind: "start", id: idOfTest(test) }));
    run.on("pass", (test) => result(test, "passed", nothing));
    run.on("pending", (test) => result(test, "skipped", nothing));
    run.on("fail", onFail);
  }
}

// One file at a time, so that one that cannot be loaded takes no other with it.
async function load(mocha) {
  for (const file of files) {
    mocha.files = [file];
    try {
      await mocha.loadFilesAsync();
    } catch (error) {
      const id = relative(root, file);
      broken("COLLECTION_FAILED", id, id, foundAtLoad(error, file));
    }
  }
}

function testsIn(suite) {
  return [...suite.tests, ...suite.suites.flatMap(testsIn)];
}

// Leaves in the suites what was asked for alone.
function keep(suite, wanted) {
  suite.tests = suite.tests.filter((test) => wanted.has(idOfTest(test)));
  suite.suites.forEach((one) => keep(one, wanted));
}

async function main() {
  const mocha = new Mocha({ reporter: Reporter, color: false, allowUncaught: false, forbidOnly: false });
  await load(mocha);
  const ids = testsIn(mocha.suite).map(idOfTest);
  send({ kind: "collected", ids: only ? ids.filter((id) => only.includes(id)) : ids });
  if (list) return finish(!failed);
  if (only) keep(mocha.suite, new Set(only));
  process.on("unhandledRejection", (reason) => {
    throw reason;
  });
  mocha.run(() => finish(!failed));
}

main().catch(crash);
`}`;
