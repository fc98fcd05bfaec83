// Judges one candidate in a process of its own and prints the verdict's evidence as JSON: what evidence.test.ts starts as another
// user and in other places. Arguments: the runner, the isolation, the folder of the snapshots.
import { cleanRoomOracle } from "@swarm/oracle";
import { type IsolationChoice, localSandbox } from "@swarm/sandbox";

const [runner = "", isolation, store = ""] = process.argv.slice(2);

/** What fails says where and when: none of it may be in the hash. */
const TASKS = {
  pytest: {
    code: { "add.py": "def add(a, b):\n    return a - b\n" },
    tests: {
      "test_add.py": `import getpass, os, pwd, time
from add import add
def test_none(): assert add(1, 0) == 1
def test_sum():
    user = pwd.getpwuid(os.getuid()).pw_name
    assert add(1, 2) == 3, f"{os.getcwd()} {os.environ['HOME']} {user} {time.time()} {time.tzname} {object()}"
`,
    },
  },
  "node:test": {
    code: { "add.mjs": "export const add = (a, b) => a - b;\n" },
    tests: {
      "add.test.mjs": `import assert from "node:assert/strict";
import { userInfo, homedir } from "node:os";
import { test } from "node:test";
import { add } from "./add.mjs";
test("none", () => assert.equal(add(1, 0), 1));
test("sum", () => {
  assert.equal(add(1, 2), 3, [process.cwd(), homedir(), process.getuid(), new Date(), import.meta.url].join(" "));
});
`,
    },
  },
};

const { code, tests } = TASKS[runner as keyof typeof TASKS];
const task = { id: "add", prompt: "Add.", source: { files: {} }, testFiles: tests, oracle: { runner } };
const sandbox = localSandbox({ store, isolation: isolation as IsolationChoice });
const oracle = cleanRoomOracle();
const context = { sandbox, signal: new AbortController().signal };
const base = await sandbox.snapshots.put({ files: tests });
const final = await sandbox.snapshots.put({ files: { ...tests, ...code } });
const suites = await oracle.prepare({ task, base }, context);
const verdict = await oracle.verify({ task, base, final, suites, depth: "full" }, context);
process.stdout.write(JSON.stringify(verdict));
