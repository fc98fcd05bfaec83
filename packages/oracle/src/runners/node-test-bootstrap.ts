/**
 * The side of the node:test adapter that runs in the workspace, given to `node -e`. It runs one test file in its own
 * process and writes the runner's events to descriptor 3. It reads `{"nonce": text, "entry": path}` as JSON from its input,
 * which no test then finds in the process's arguments. With the argument `warm` it has its start behind it before it reads. It is
 * CommonJS because the runner refuses `--input-type=module` for the files that it loads.
 */
export const NODE_TEST_BOOTSTRAP = String.raw`
"use strict";
{ // what is declared outside of a block is a global for the code under test
const { AsyncResource } = require("node:async_hooks");
const { spawnSync } = require("node:child_process");
const { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } = require("node:fs");
const { devNull, tmpdir } = require("node:os");
const { join, resolve } = require("node:path");
const { run } = require("node:test");
const { fileURLToPath, pathToFileURL } = require("node:url");

const warm = process.argv[1] === "warm";
process.argv.splice(1);
const { parse, stringify } = JSON;
const exit = process.exit.bind(process);
const root = process.cwd();

// Taken now: the code under test may replace them.
function write(descriptor, record) {
  const bytes = Buffer.from(stringify(record) + "\n");
  for (let sent = 0; sent < bytes.length; ) {
    try {
      sent += writeSync(descriptor, bytes, sent);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

function readable(text) {
  const plain = String(text).replaceAll("file://" + root + "/", "").replaceAll(root + "/", "").replaceAll(root, "/workspace");
  return plain.length <= 20_000 ? plain : plain.slice(0, 10_000) + "\n…\n" + plain.slice(-10_000);
}

// path:line of the places in the workspace that a stack or a printed error names, the outermost frame of it first.
function framesIn(text) {
  const frames = [];
  for (const [, place, line] of String(text).matchAll(/(file:\/\/\/[^\s()]+?|\/[^:()\n]+?):(\d+)(?::\d+)?\)?$/gm)) {
    const path = place.startsWith("file:") ? fileURLToPath(place) : place;
    if (path.startsWith(root + "/")) frames.unshift(path.slice(root.length + 1) + ":" + line);
  }
  return frames.slice(-20);
}

function placeIn(text) {
  return framesIn(text).at(-1) ?? null;
}

// What is known of a thrown value, which may be anything.
function found(error, fallback) {
  if (error === null || typeof error !== "object") {
    return { message: readable(error), errorType: null, location: fallback };
  }
  try {
    const errorType = String(error.constructor?.name ?? error.name);
    const frames = framesIn(error.stack);
    return { message: readable(error.message), errorType, location: frames.at(-1) ?? fallback, frames };
  } catch {
    return { message: "an error that cannot be read", errorType: null, location: fallback };
  }
}

// Where a module does not parse is told only to a process of its own, which stops there and runs nothing.
function foundAtLoad(error, file) {
  const known = found(error, null);
  if (known.errorType !== "SyntaxError" || known.location !== null) return known;
  const { stderr } = spawnSync(process.execPath, [file], { encoding: "utf8", timeout: 2_000 });
  return { ...known, location: placeIn(stderr) };
}

// Runs one file, and sends what comes of it; then gives the exit code that says so.
function runFile({ entry, send }, then) {
  const file = resolve(entry);
  const began = performance.now();
  const used = new Set();
  let failed = false;
  let broken = false;
  let stray = null;
  const begun = [];
  const reported = [];

  const isFile = (event) => event.nesting === 0 && event.name === file;

  // Names of the tests that enclose an event, by its nesting.
  function pathOf(names, { name, nesting }) {
    names.length = nesting;
    names[nesting] = name;
    return [entry, ...names].join(" > ");
  }

  // Two tests of one name are told apart by their order.
  function unique(id) {
    let candidate = id;
    for (let n = 2; used.has(candidate); n += 1) candidate = id + " [" + n + "]";
    used.add(candidate);
    return candidate;
  }

  function outside(code, id, known) {
    broken = true;
    send({ kind: "broken", code, id, file: entry, ...known });
  }

  function onResult(event, passed) {
    const failure = event.details.error;
    const cause = failure?.cause ?? failure;
    if (isFile(event)) {
      // The entry of the file itself is not a test.
      if (!passed && failure.failureType === "hookFailed") outside("ERROR_OUTSIDE_TESTS", entry, found(cause, null));
      else if (!passed) outside("COLLECTION_FAILED", entry, foundAtLoad(cause, file));
      return;
    }
    const id = pathOf(reported, event);
    const declared = placeIn(event.file + ":" + event.line);
    if (event.details.type === "suite") {
      if (passed || failure.failureType === "subtestsFailed") return;
      outside("ERROR_OUTSIDE_TESTS", id, found(cause, declared));
      return;
    }
    const note = [event.skip, event.todo, event.expectFailure].find((value) => typeof value === "string") ?? null;
    let status = passed ? "passed" : "failed";
    if (event.skip !== undefined && event.skip !== false) status = "skipped";
    else if (event.todo !== undefined && event.todo !== false) status = passed ? "xpassed" : "xfailed";
    else if (event.expectFailure && passed) status = "xfailed";
    failed ||= status === "failed";
    const known = status === "failed" ? found(cause, declared) : { message: note, errorType: null, location: null };
    send({ kind: "test", id: unique(id), file: entry, status, ...known, ms: event.details.duration_ms });
  }

  send({ kind: "ready" });
  const stream = run({ files: [file], isolation: "none", concurrency: false });

  stream.on("test:dequeue", (event) => {
    if (!isFile(event)) send({ kind: "start", id: pathOf(begun, event) });
  });

  stream.on("test:start", (event) => {
    if (!isFile(event)) pathOf(reported, event);
  });

  stream.on("test:pass", (event) => onResult(event, true));
  stream.on("test:fail", (event) => onResult(event, false));
  stream.on("test:diagnostic", ({ message, nesting }) => {
    if (nesting === 0 && /asynchronous activity after the test ended|uncaughtException|unhandledRejection/.test(message)) {
      stray ??= message;
    }
  });

  stream.on("end", async () => {
    if (stray !== null) outside("ERROR_OUTSIDE_TESTS", entry, { message: readable(stray), errorType: null, location: null });
    // A file that threw after its first tests were declared counts as good for the runner; loading it again throws again.
    if (!broken) {
      await import(pathToFileURL(file).href).catch((error) => outside("COLLECTION_FAILED", entry, foundAtLoad(error, file)));
    }
    const code = failed || broken ? 1 : 0;
    send({ kind: "end", exit: code, ok: code === 0, version: process.version, ms: performance.now() - began });
    then(code);
  });

  stream.resume();
}

function begin() {
  const order = readFileSync(0, "utf8");
  if (order === "") exit(0); // whoever was to give it is gone
  closeSync(0);
  openSync(devNull);
  const { nonce, entry } = parse(order);
  runFile({ entry, send: (record) => write(3, { nonce, ...record }) }, exit);
}

const WARM_UP = {
  "part.cjs": "exports.two = 2;",
  "part.mjs": "export const one = 1;",
  "warm-up.test.mjs": 'import assert from "node:assert/strict"; import { describe, it, test } from "node:test";' +
    'import { two } from "./part.cjs"; import { one } from "./part.mjs";' +
    'test("passes", async () => assert.throws(() => assert.deepEqual({ one }, { two })));' +
    'describe("suite", () => { it("passes", () => assert.equal(one, 1)); });',
};

// Runs tests of its own, by which all that is loaded and made on first use is there.
function warmUp(then) {
  const folder = mkdtempSync(join(tmpdir(), "warm-up-"));
  for (const [name, text] of Object.entries(WARM_UP)) writeFileSync(join(folder, name), text);
  const nowhere = openSync(devNull, "w");
  const outside = new AsyncResource("begin"); // what follows is no part of the tests that went before
  runFile({ entry: join(folder, "warm-up.test.mjs"), send: (record) => write(nowhere, record) }, () => {
    closeSync(nowhere);
    rmSync(folder, { recursive: true });
    outside.runInAsyncScope(setImmediate, null, then); // once the runner is done with them
  });
}

if (warm) warmUp(begin);
else begin();
}
`;
