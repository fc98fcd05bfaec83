import { SCRIPT_PRELUDE } from "./script-prelude.ts";

/** The side of the vitest adapter that runs in the workspace: vitest's own process, which has its workers run the tests. */
export const VITEST_BOOTSTRAP = `${SCRIPT_PRELUDE}${String.raw`
const CONFIGURATIONS = ["vitest", "vite"].flatMap((name) =>
  ["ts", "mts", "cts", "js", "mjs", "cjs"].map((extension) => join(root, name + ".config." + extension)),
);

function namesOf(task) {
  return task.type === "module" ? [] : [...namesOf(task.parent), task.name];
}

const ids = new Map();
function idOfTest(test) {
  if (!ids.has(test.id)) ids.set(test.id, unique(idOf(test.module.moduleId, namesOf(test))));
  return ids.get(test.id);
}

function isWanted(test) {
  return only === null || only.includes(idOfTest(test));
}

function foundIn(error) {
  const known = found(error, null, error?.diff);
  const parsing = /^Parse failure: [^]*\nAt file: \/?(.+):(\d+):\d+$/.exec(known.message);
  return parsing ? { ...known, errorType: "SyntaxError", location: parsing[1] + ":" + parsing[2] } : known;
}

function onResult(test) {
  const { state, errors, note } = test.result();
  const told = state === "failed" ? foundIn(errors[0] ?? "failed") : { ...nothing, message: note ?? null };
  const status = state === "passed" && test.options.fails ? "xfailed" : state === "pending" ? "skipped" : state;
  failed ||= status === "failed";
  const output = status === "failed" ? readable(printed.get(test.id) ?? "", 4_000) : "";
  const ms = test.diagnostic()?.duration ?? 0;
  const file = relative(root, test.module.moduleId);
  send({ kind: "test", id: idOfTest(test), file, status, ...told, ms, output });
}

function onModule(module) {
  const file = relative(root, module.moduleId);
  const code = [...module.children.allTests()].length === 0 ? "COLLECTION_FAILED" : "ERROR_OUTSIDE_TESTS";
  for (const error of module.errors()) {
    // An empty file is no error of its own: no test of it is reported.
    if (!/^No test (suite )?found in/.test(error.message)) broken(code, file, file, foundIn(error));
  }
}

const printed = new Map();
const reporter = {
  onTestCaseReady(test) {
    if (isWanted(test)) send({ kind: "start", id: idOfTest(test) });
  },
  onTestCaseResult(test) {
    if (isWanted(test)) onResult(test);
  },
  onTestSuiteResult(suite) {
    for (const error of suite.errors()) {
      const file = relative(root, suite.module.moduleId);
      broken("ERROR_OUTSIDE_TESTS", idOf(suite.module.moduleId, namesOf(suite)), file, foundIn(error));
    }
  },
  onTestModuleEnd: onModule,
  onUserConsoleLog({ taskId, content }) {
    if (taskId) printed.set(taskId, (printed.get(taskId) ?? "") + content);
  },
};

async function main() {
  const { createVitest } = await import(pathToFileURL(join(runner, "dist/node.js")).href);
  const cacheDir = mkdtempSync(join(tmpdir(), "vitest-"));
  const vitest = await createVitest(
    {
      root,
      config: CONFIGURATIONS.find((path) => existsSync(path)) ?? false,
      configLoader: "runner",
      reporters: [reporter],
      run: true,
      watch: false,
      pool: "forks",
      maxWorkers: 1,
      fileParallelism: false,
      globals: true,
      testNamePattern: /(?:)/,
      allowOnly: true,
      passWithNoTests: true,
      dangerouslyIgnoreUnhandledErrors: false,
      bail: 0,
      retry: 0,
      cache: false,
      coverage: { enabled: false },
      typecheck: { enabled: false },
      ui: false,
      api: false,
      open: false,
    },
    { cacheDir, logLevel: "silent", clearScreen: false },
  );
  ready();
  const project = vitest.getRootProject();
  let specifications = files.map((file) => project.createSpecification(file));
  if (list || only) {
    const { testModules } = await vitest.collectTests(specifications);
    const tests = testModules.flatMap((module) => [...module.children.allTests()]);
    if (list) {
      testModules.forEach(onModule);
      send({ kind: "collected", ids: tests.map(idOfTest) });
      return finish(!failed);
    }
    const testIds = tests.filter(isWanted).map((test) => test.id);
    specifications = files.map((file) => project.createSpecification(file, { testIds }));
  }
  const { unhandledErrors } = await vitest.runTestSpecifications(specifications, !only);
  for (const error of unhandledErrors) {
    // A worker that died took its tests with it.
    if (/^\[vitest-pool/.test(error.message)) return crash(error.cause ?? error);
    broken("ERROR_OUTSIDE_TESTS", entries[0], entries[0], foundIn(error));
  }
  finish(!failed);
}

main().catch(crash);
`}`;
