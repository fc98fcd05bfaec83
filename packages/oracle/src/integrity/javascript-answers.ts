import { dirname, join } from "node:path/posix";
import type { CallExpression, Node, Program } from "acorn";
import { is, nodesIn } from "./javascript-nodes.ts";

/** What a test made of an answer, where it may have compared something. */
const MADE = /^(?:Binary|Logical|Conditional|Function|ArrowFunction)Expression$/;

/** Tells what the code under test said itself from what a test made of it, such as by a helper that compares. */
export class Answers {
  readonly #path: string;
  readonly #suite: readonly string[];
  /** What a name of the file was given, wherever. */
  readonly #values = new Map<string, (Node | null)[]>();
  /** Names that are imported from the work. */
  readonly #work = new Set<string>();

  /** Of the file at `path`, one of those of `suite`. */
  constructor(program: Program, path: string, suite: readonly string[]) {
    this.#path = path;
    this.#suite = suite;
    for (const node of nodesIn(program)) this.#learn(node);
  }

  /** Whether a value is one that the work gave, or what is in it, or gave by it. */
  has(node: Node, seen: readonly string[] = []): boolean {
    if (nodesIn(node).some(({ type }) => MADE.test(type))) return false;
    const root = rootOf(node);
    if (isRequire(root)) return this.#isOfWork(root.arguments[0]);
    if (!is(root, "Identifier")) return false;
    const { name } = root;
    if (this.#work.has(name) || seen.includes(name)) return true;
    const values = this.#values.get(name) ?? [null];
    return values.every((value) => value !== null && this.has(value, [...seen, name]));
  }

  #learn(node: Node): void {
    if (is(node, "ImportDeclaration") && this.#isOfWork(node.source)) {
      for (const { local } of node.specifiers) this.#work.add(local.name);
    }
    if (is(node, "FunctionDeclaration") || is(node, "ClassDeclaration")) this.#give(node.id, null);
    if (is(node, "VariableDeclarator")) this.#give(node.id, node.init ?? null);
    if (is(node, "AssignmentExpression")) this.#give(node.left, node.right);
  }

  #give(target: Node | null, value: Node | null): void {
    for (const part of target ? nodesIn(target) : []) {
      if (is(part, "Identifier")) this.#values.set(part.name, [...(this.#values.get(part.name) ?? []), value]);
    }
  }

  /** A file beside the tests, and not one of theirs. */
  #isOfWork(source: Node | undefined): boolean {
    const name = source && is(source, "Literal") ? source.value : null;
    if (typeof name !== "string" || !name.startsWith(".")) return false;
    const module = moduleOf(join(dirname(this.#path), name));
    return !this.#suite.some((path) => moduleOf(path) === module);
  }
}

/** A file as imports may name it: TypeScript's are named by the JavaScript that they become, and some without an ending. */
function moduleOf(path: string): string {
  return path.replace(/\.[cm]?[jt]s$/, "").replace(/\/index$/, "");
}

/** What `a.b(c)[d]` begins with. */
function rootOf(node: Node): Node {
  if (isRequire(node)) return node;
  if (is(node, "AwaitExpression")) return rootOf(node.argument);
  if (is(node, "CallExpression")) return rootOf(node.callee);
  return is(node, "MemberExpression") ? rootOf(node.object) : node;
}

function isRequire(node: Node): node is CallExpression {
  return is(node, "CallExpression") && is(node.callee, "Identifier") && node.callee.name === "require";
}
