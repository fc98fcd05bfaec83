import { tsPlugin } from "@sveltejs/acorn-typescript";
import { type CallExpression, type MemberExpression, type Node, Parser, type Program } from "acorn";

import type { Variants } from "./variants.ts";

/** Assertions of `node:assert` and of chai's `assert`, by actual and expected value. Of a partial one more on the left is right. */
const ASSERTIONS = new Set(["equal", "strictEqual", "deepEqual", "deepStrictEqual"]);
/** Assertions of jest's and vitest's `expect`. */
const MATCHERS = new Set(["toBe", "toEqual", "toStrictEqual"]);
/** Calls that may swallow what is thrown in their function. */
const SWALLOWING = new Set(["throws", "rejects", "doesNotThrow", "doesNotReject", "toThrow", "toThrowError"]);

/**
 * The variants of a test file of JavaScript or TypeScript, made by a parser; null for one that cannot be parsed, which the run
 * on it tells. In the twin `__SWARM_TWIN_SIDE__` stands for the side that it changes; it is null for a file without an equality
 * to wrap. Wrapped are the operands of `assert.equal` and its kin, of `expect(…).toBe`
 * and its kin, and of `===` in `assert`, `assert.ok`. In `blind` the files of `tests` are read as empty lines, and functions that
 * assert have no source.
 */
export function javascriptVariants(path: string, text: string, tests: readonly string[]): Variants | null {
  const program = parsed(path, text);
  return program && { twin: twinOf(program, text), blind: blindOf(program, text, tests), direct: [] };
}

function twinOf(program: Program, text: string): string | null {
  const edits = new Map<number, string>();
  for (const { left, right } of equalitiesIn(program, { text, bare: assertionsNamedIn(program, text) })) {
    for (const [side, { start, end }] of [["left", left] as const, ["right", right] as const]) {
      // outer calls come before the ones in their operands
      edits.set(start, `${edits.get(start) ?? ""}__swarm_twin__("${side}", (`);
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
  if (changed === "probe") throw new Error("an equality was asserted");
  if (side !== changed) return value;
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

type Equality = { left: Node; right: Node };

type Source = {
  text: string;
  /** Names by which assertions are called without an object before them. */
  bare: ReadonlySet<string>;
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

/** The equalities of asserting calls, outer ones first. */
function* equalitiesIn(node: Node, source: Source): Generator<Equality> {
  if (isCall(node)) {
    if (SWALLOWING.has(nameOf(node.callee))) return;
    const equality = equalityOf(node, source);
    if (equality) yield equality;
  }
  for (const [key, value] of Object.entries(node)) {
    if (node.type === "TryStatement" && key === "block" && (node as { handler?: Node | null }).handler) continue;
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) yield* equalitiesIn(child, source);
  }
}

function equalityOf({ callee, arguments: given }: CallExpression, { text, bare }: Source): Equality | null {
  const [first, second] = given;
  const name = nameOf(callee);
  if (!first || first.type === "SpreadElement") return null;
  if (ASSERTIONS.has(name)) {
    const asserts = isMember(callee)
      ? isOfAssertions(text.slice(callee.object.start, callee.object.end))
      : bare.has(name);
    return asserts && second && second.type !== "SpreadElement" ? { left: first, right: second } : null;
  }
  if (MATCHERS.has(name)) {
    const actual = actualOf(callee);
    // a matcher such as expect.any() is right with more than one value
    return actual && !text.slice(first.start, first.end).includes("expect.") ? { left: actual, right: first } : null;
  }
  const isCompared = first.type === "BinaryExpression" && (first.operator === "===" || first.operator === "==");
  return (name === "assert" || name === "ok") && isCompared ? { left: first.left, right: first.right } : null;
}

/** The value in `expect(value).toBe`, also with `.resolves` between, and not with `.not`. */
function actualOf(callee: Node): Node | null {
  let object: Node | null = isMember(callee) ? callee.object : null;
  if (object && isMember(object) && nameOf(object) === "resolves") object = object.object;
  if (!object || !isCall(object) || nameOf(object.callee) !== "expect") return null;
  const [actual] = object.arguments;
  return actual && actual.type !== "SpreadElement" ? actual : null;
}

function nameOf(callee: Node): string {
  if (isMember(callee)) return callee.computed ? "" : nameOf(callee.property);
  return callee.type === "Identifier" ? (callee as Node & { name: string }).name : "";
}

function isCall(node: Node): node is CallExpression {
  return node.type === "CallExpression";
}

function isMember(node: Node): node is MemberExpression {
  return node.type === "MemberExpression";
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";
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
