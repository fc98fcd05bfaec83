/**
 * The head of the bootstraps of JavaScript runners: what they are told, the channel, and how a thrown value is told. For
 * `node -e`; its input is {@link ScriptSpec} with the nonce, as JSON. It is CommonJS, since a runner that loads test files may
 * not cope with `--input-type=module`.
 */
export const SCRIPT_PRELUDE = String.raw`
"use strict";
const { spawnSync } = require("node:child_process");
const { existsSync, mkdtempSync, readFileSync, writeFileSync, writeSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join, relative, resolve } = require("node:path");
const { fileURLToPath, pathToFileURL } = require("node:url");
const { stripVTControlCharacters } = require("node:util");

const { nonce, entries, only, list, runner } = JSON.parse(readFileSync(0, "utf8"));
const { stringify } = JSON;
const exit = process.exit.bind(process);
const root = process.cwd();
const files = entries.map((entry) => resolve(entry));
const { version } = JSON.parse(readFileSync(join(runner, "package.json"), "utf8"));
const began = performance.now();

// Taken now: the code under test may replace them.
function send(record) {
  const bytes = Buffer.from(stringify({ nonce, ...record }) + "\n");
  for (let sent = 0; sent < bytes.length; ) {
    try {
      sent += writeSync(3, bytes, sent);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

// Told once the runner is about to load tests: the time before is not theirs.
function ready() {
  send({ kind: "ready", interpreter: "Node " + process.version });
}

// The last word, which says how the process is about to end.
function finish(ok) {
  const code = ok ? 0 : 1;
  send({ kind: "end", exit: code, ok, version, ms: performance.now() - began });
  exit(code);
}

function crash(error) {
  send({ kind: "crash", ...found(error, null) });
  exit(1);
}

function readable(text, limit = 20_000) {
  const plain = stripVTControlCharacters(String(text))
    .replaceAll("file://" + root + "/", "")
    .replaceAll(root + "/", "")
    .replaceAll(root, "/workspace");
  return plain.length <= limit ? plain : plain.slice(0, limit / 2) + "\n…\n" + plain.slice(-limit / 2);
}

function inside(path) {
  return path.startsWith(root + "/") && !path.includes("/node_modules/") ? relative(root, path) : null;
}

// path:line of each frame in the workspace that a stack names, the outermost first.
function framesIn(stack) {
  const frames = [];
  for (const [, place, line] of String(stack).matchAll(/(file:\/\/\/[^\s()]+?|\/[^:()\n]+?):(\d+)(?::\d+)?\)?$/gm)) {
    const path = inside(place.startsWith("file:") ? fileURLToPath(place.replace(/\?.*$/, "")) : place);
    if (path !== null) frames.unshift(path + ":" + line);
  }
  return frames.slice(-20);
}

// What is known of a thrown value, which may be anything. The note is what the message leaves out, such as a comparison.
function found(error, fallback, note = "") {
  const unplaced = { errorType: null, location: fallback, frames: [] };
  if (error === null || typeof error !== "object") return { message: readable(error), ...unplaced };
  try {
    const kinds = [error.name, error.constructor?.name].filter((name) => typeof name === "string");
    const errorType = kinds.find((name) => name !== "Error" && name !== "Object") ?? kinds[0] ?? null;
    const frames = framesIn(error.stack);
    const message = readable([error.message, note].filter(Boolean).join("\n\n"));
    return { message, errorType, location: frames.at(-1) ?? fallback, frames };
  } catch {
    return { message: "an error that cannot be read", ...unplaced };
  }
}

// Where a module does not parse is told only to a process of its own, which stops there and runs nothing.
function foundAtLoad(error, file) {
  const known = found(error, null);
  if (known.errorType !== "SyntaxError" || known.location !== null) return known;
  const { stderr } = spawnSync(process.execPath, [file], { encoding: "utf8", timeout: 2_000 });
  return { ...known, location: framesIn(stderr).at(-1) ?? null };
}

const nothing = { message: null, errorType: null, location: null, frames: [] };

const used = new Set();
// Two tests of one name are told apart by their order.
function unique(id) {
  let candidate = id;
  for (let n = 2; used.has(candidate); n += 1) candidate = id + " [" + n + "]";
  used.add(candidate);
  return candidate;
}

function idOf(file, names) {
  return [relative(root, file), ...names].join(" > ");
}

let failed = false;
function broken(code, id, file, known) {
  failed = true;
  send({ kind: "broken", code, id, file, ...known });
}
`;

/** What a bootstrap of a JavaScript runner is told. */
export type ScriptSpec = {
  entries: readonly string[];
  /** Ids of the tests to run; null for all. */
  only: readonly string[] | null;
  /** Whether to tell the ids and run nothing. */
  list: boolean;
  /** Folder of the runner's package. */
  runner: string;
};
