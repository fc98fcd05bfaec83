import { tsPlugin } from "@sveltejs/acorn-typescript";
import { type CallExpression, type Node, Parser, type Program } from "acorn";
import { Answers } from "./javascript-answers.ts";
import { is, partsOf } from "./javascript-nodes.ts";
import type { Variants } from "./variants.ts";

/** Assertions of `node:assert` and of chai's `assert`, by actual and expected value. Of a partial one more on the left is right. */
const ASSERTIONS = new Set(["equal", "strictEqual", "deepEqual", "deepStrictEqual"]);
/** Assertions of jest's and vitest's `expect`. */
const MATCHERS = new Set(["toBe", "toEqual", "toStrictEqual"]);
/** Those that take an answer for true or false. */
const ANSWERS = new Set(["toBeTruthy", "toBeFalsy"]);
/** Comparisons of which the opposite is another answer; what is asserted to be equal has two sides to change. */
const ORDERS = new Set(["<", "<=", ">", ">=", "!==", "!="]);
/** Calls that may swallow what is thrown in their function. */
const SWALLOWING = new Set(["throws", "rejects", "doesNotThrow", "doesNotReject", "toThrow", "toThrowError"]);

/**
 * The variants of a test file of JavaScript or TypeScript, made by a parser; null for one that cannot be parsed, which the run
 * on it tells. In the twin `__SWARM_TWIN_SIDE__` stands for the side that it changes; it is null for a file without anything
 * to wrap. Wrapped are the operands of `assert.equal` and its kin, of `expect(…).toBe` and its kin, and of `===` in `assert`
 * and `assert.ok`; besides, an order in these two, and an answer of the work in them and in `toBeTruthy` and `toBeFalsy`. In
 * `blind` the files of `tests` are read as empty lines, and functions that assert have no source. `suite` are all its files.
 */
export function javascriptVariants(
  path: string,
  text: string,
  { tests, suite }: { tests: readonly string[]; suite: readonly string[] },
): Variants | null {
  const program = parsed(path, text);
  if (!program) return null;
  const source = { text, bare: assertionsNamedIn(program, text), answers: new Answers(program, path, suite) };
  return { twin: twinOf(program, source), blind: blindOf(program, text, tests), direct: [] };
}

function twinOf(program: Program, source: Source): string | null {
  const { text } = source;
  const edits = new Map<number, string>();
  for (const sides of expectationsIn(program, source)) {
    for (const [side, { start, end }] of sides) {
      // outer calls come before the ones in their operands
      edits.set(start, `${edits.get(start) ?? ""}__swarm_twin__("${side}", ${side === "both" ? "!!" : ""}(`);
      edits.set(end, `))${edits.get(end) ?? ""}`);
    }
  }
  return edits.size === 0 ? null : `${applied(text, edits)}\n${PRELUDE}`;
}

/** A function declaration is hoisted, so it may stand behind all that uses it, and the lines above keep their numbers. */
const PRELUDE = String.raw`
// @ts-nocheck
function __swarm_twin__(side, value) {
  const { Array, Date, Error, Map, Number, Set, Symbol } = globalThis; // a name of the file may be the work's own
  const changed = "__SWARM_TWIN_SIDE__";
  if (changed === "probe") throw new Error("something was expected");
  if (side !== changed && side !== "both") return value;
  switch (typeof value) {
    case "number": return Number.isFinite(value) ? value * 3 + 987654321.5 : 0.125;
    case "bigint": return value * 3n + 987654321n;
    case "string": return value + "\u2260";
    case "boolean": return !value;
  }
  if (Array.isArray(value)) return [...value, Symbol("twin")];
  if (value instanceof Map) return new Map([...value, [Symbol("twin"), 1]]);
  if (value instanceof Set) return new Set([...value, Symbol("twin")]);
  if (value instanceof Date) return new Date((Number(value) || 0) + 987654321);
  return { ["\u2260"]: Symbol("twin") };
}
`;

/** Loaded before all else: in a module as its first import, in a script before its first statement. */
function blindOf(program: Program, text: string, tests: readonly string[]): string {
  const code = BLIND.replace("__SWARM_TESTS__", () => JSON.stringify(tests)).replaceAll("\n", " ");
  const isModule = program.body.some(({ type }) => /^(?:Import|Export)/.test(type));
  const prelude = isModule ? `import "data:text/javascript,${encodeURIComponent(code)}"; ` : `${code} `;
  const directive = program.body.findLast((statement) => "directive" in statement);
  const at = directive && !isModule ? directive.end : text.startsWith("#!") ? text.indexOf("\n") + 1 : 0;
  return `${text.slice(0, at)}; ${prelude}${text.slice(at)}`; // a directive may end without a semicolon
}

const BLIND = `
((tests) => {
  const { getBuiltinModule } = globalThis.process;
  const [fs, os, path, url] = ["node:fs", "node:os", "node:path", "node:url"].map(getBuiltinModule);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "blank-"));
  const blanks = new Map(tests.map((test, nth) => {
    const blank = path.join(folder, String(nth));
    fs.writeFileSync(blank, fs.readFileSync(test, "utf8").replaceAll(/[^\\n]/g, ""));
    return [fs.realpathSync(test), blank];
  }));
  const { realpathSync } = fs;
  const instead = (place) => {
    try { return blanks.get(realpathSync(place instanceof URL ? url.fileURLToPath(place) : String(place))) ?? place; }
    catch { return place; }
  };
  const guard = (owner, name) => {
    const original = owner[name];
    owner[name] = function (place, ...rest) { return original.call(this, instead(place), ...rest); };
  };
  for (const name of ["readFileSync", "openSync", "createReadStream", "copyFileSync", "cpSync"]) guard(fs, name);
  for (const name of ["readFile", "open", "copyFile", "cp"]) for (const owner of [fs, fs.promises]) guard(owner, name);
  getBuiltinModule("node:module").syncBuiltinESMExports();
  const { toString } = Function.prototype;
  Function.prototype.toString = function () {
    const source = toString.call(this);
    return source.includes("assert") || source.includes("expect(") ? "function () { [native code] }" : source;
  };
})(__SWARM_TESTS__);
`;

/** What is wrapped of an expectation: the two sides of an equality, or what is true or false on both of them. */
type Sides = (readonly ["left" | "right" | "both", Node])[];

type Source = {
  text: string;
  /** Names by which assertions are called without an object before them. */
  bare: ReadonlySet<string>;
  answers: Answers;
};

/**
 * What a file takes by name from a package of assertions. Another function of such a name may only answer whether two values
 * are equal: what asserts its answer is wrapped itself, and two changes of a boolean would be none.
 */
function assertionsNamedIn({ body }: Program, text: string): Set<string> {
  const names = new Set<string>();
  for (const statement of body) {
    if (statement.type === "ImportDeclaration" && isOfAssertions(String(statement.source.value))) {
      for (const specifier of statement.specifiers) names.add(specifier.local.name);
    }
    for (const { id, init } of statement.type === "VariableDeclaration" ? statement.declarations : []) {
      if (id.type !== "ObjectPattern" || !init || !isOfAssertions(text.slice(init.start, init.end))) continue;
      for (const property of id.properties) {
        if (property.type === "Property" && property.value.type === "Identifier") names.add(property.value.name);
      }
    }
  }
  return names;
}

/** Of the text of an expression, or the name of a package. */
function isOfAssertions(text: string): boolean {
  return /assert|chai/i.test(text) && !/^\.|["']\./.test(text);
}

/** The expectations of asserting calls, outer ones first. */
function* expectationsIn(node: Node, source: Source): Generator<Sides> {
  if (is(node, "CallExpression")) {
    if (SWALLOWING.has(nameOf(node.callee))) return;
    const sides = sidesOf(node, source);
    if (sides) yield sides;
  }
  for (const [name, part] of partsOf(node)) {
    if (is(node, "TryStatement") && name === "block" && node.handler) continue;
    yield* expectationsIn(part, source);
  }
}

function sidesOf({ callee, arguments: given }: CallExpression, { text, bare, answers }: Source): Sides | null {
  const [first, second] = given;
  const name = nameOf(callee);
  if (ANSWERS.has(name)) {
    const actual = actualOf(callee);
    return actual && answers.has(actual) ? [["both", actual]] : null;
  }
  if (!first || first.type === "SpreadElement") return null;
  if (ASSERTIONS.has(name)) {
    const asserts = is(callee, "MemberExpression")
      ? isOfAssertions(text.slice(callee.object.start, callee.object.end))
      : bare.has(name);
    return asserts && second && second.type !== "SpreadElement" ? equality(first, second) : null;
  }
  if (MATCHERS.has(name)) {
    const actual = actualOf(callee);
    // a matcher such as expect.any() is right with more than one value
    return actual && !text.slice(first.start, first.end).includes("expect.") ? equality(actual, first) : null;
  }
  if (name !== "assert" && name !== "ok") return null;
  if (is(first, "BinaryExpression")) {
    if (first.operator === "===" || first.operator === "==") return equality(first.left, first.right);
    return ORDERS.has(first.operator) ? [["both", first]] : null;
  }
  const answer = is(first, "UnaryExpression") && first.operator === "!" ? first.argument : first;
  return answers.has(answer) ? [["both", first]] : null;
}

function equality(left: Node, right: Node): Sides {
  return [
    ["left", left],
    ["right", right],
  ];
}

/** The value in `expect(value).toBe`, also with `.resolves` between, and not with `.not`. */
function actualOf(callee: Node): Node | null {
  let object: Node | null = is(callee, "MemberExpression") ? callee.object : null;
  if (object && is(object, "MemberExpression") && nameOf(object) === "resolves") object = object.object;
  if (!object || !is(object, "CallExpression") || nameOf(object.callee) !== "expect") return null;
  const [actual] = object.arguments;
  return actual && actual.type !== "SpreadElement" ? actual : null;
}

function nameOf(callee: Node): string {
  if (is(callee, "MemberExpression")) return callee.computed ? "" : nameOf(callee.property);
  return is(callee, "Identifier") ? callee.name : "";
}

const TypeScript = Parser.extend(tsPlugin());

function parsed(path: string, text: string): Program | null {
  const parser = /\.[cm]?ts$/.test(path) ? TypeScript : Parser;
  for (const sourceType of ["module", "script"] as const) {
    try {
      const lenient = { allowReturnOutsideFunction: true, allowHashBang: true, locations: true };
      return parser.parse(text, { ecmaVersion: "latest", sourceType, ...lenient });
    } catch {
      // CommonJS may hold what no module does; what is neither is told by the run
    }
  }
  return null;
}

function applied(text: string, edits: ReadonlyMap<number, string>): string {
  let result = text;
  for (const [at, insertion] of [...edits].sort(([a], [b]) => b - a)) {
    result = result.slice(0, at) + insertion + result.slice(at);
  }
  return result;
}
