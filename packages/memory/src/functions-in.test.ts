import fc from "fast-check";
import { expect, it } from "vitest";
import { functionsIn } from "./functions-in.ts";

it.each([
  [
    "a.py",
    `import os
class Tree(Base):
    def insert(self, key): ...
    async def load(self): ...
def helper(a,
           b): return lambda x: x
text = "no def here"`,
    ["Tree", "insert", "load", "helper"],
  ],
  [
    "a.mjs",
    `export default async function main() {}
function* walk(node) {}
export class List extends Base {
  #size = 0;
  constructor(items = []) {
    for (const item of items) {
      if (item) { this.add(item); }
    }
  }
  static async from(items) { return new List(items); }
  get size() { return this.#size; }
  #grow(by) {
  }
}
const add = (a, b) => a + b;
const twice = async x => 2 * x;
const number = 1;
call(() => {});`,
    ["main", "walk", "List", "add", "twice", "constructor", "from", "size", "grow"],
  ],
  [
    "a.ts",
    `export abstract class Store<T> {
  private async load(path: string): Promise<T> {
  }
}
export const parse = (text: string): Json => JSON.parse(text);`,
    ["Store", "parse", "load"],
  ],
  [
    "a.go",
    "type Stack struct {\n}\nfunc (s *Stack) Push(v int) {\n}\nfunc New() *Stack {\n\treturn nil\n}\n",
    ["Push", "New", "Stack"],
  ],
  ["a.rs", "pub struct P;\nimpl P {\n    pub(crate) async fn go(&self) {}\n}\nfn main() {}\n", ["P", "go", "main"]],
  ["a.md", "def f(): pass", []],
  ["Makefile", "def f(): pass", []],
])("finds what %s defines", (path, text, names) => {
  expect(functionsIn(path, text).map((name) => name.replace("#", ""))).toEqual(names);
});

it("is quick on any text", () => {
  const piece = fc.constantFrom(
    "function ",
    "const a = ",
    "(",
    ")",
    "{",
    "a",
    " ",
    "\n",
    "=>",
    "def ",
    "static ",
    "\t",
  );
  const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join("").repeat(200));
  fc.assert(
    fc.property(fc.constantFrom("a.py", "a.ts", "a.go", "a.rs"), text, (path, text) => {
      for (const name of functionsIn(path, text)) expect(text).toContain(name);
    }),
    { numRuns: 50 },
  );
});
