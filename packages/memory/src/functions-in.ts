import { extname } from "node:path";

/** What defines a function, method or class at the beginning of a line, by the ending of the file's name. */
const PYTHON = [/^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)/gm];
const JAVASCRIPT = [
  /^[ \t]*(?:export[ \t]+)?(?:default[ \t]+)?(?:async[ \t]+)?(?:function\b[ \t]*\*?|(?:abstract[ \t]+)?class[ \t])[ \t]*([\w$]+)/gm,
  /^[ \t]*(?:export[ \t]+)?(?:const|let|var)[ \t]+([\w$]+)[^=\n]*=[ \t]*(?:async\b[ \t]*)?(?:function\b|\([^()\n]*\)[^=\n]*=>|[\w$]+[ \t]*=>)/gm,
  /^[ \t]+(?:(?:static|async|get|set|public|private|protected|override)[ \t]+)*\*?(#?[\w$]+)[ \t]*\([^()\n]*\)[^(){}\n;]*\{/gm,
];
const GO = [/^func[ \t]+(?:\([^()\n]*\)[ \t]*)?(\w+)/gm, /^type[ \t]+(\w+)[ \t]+struct\b/gm];
const RUST = [
  /^[ \t]*(?:pub(?:\([^()\n]*\))?[ \t]+)?(?:(?:async|const|unsafe)[ \t]+)*(?:fn|struct|enum|trait)[ \t]+(\w+)/gm,
];
const BY_ENDING: Readonly<Record<string, readonly RegExp[]>> = {
  ".py": PYTHON,
  ...Object.fromEntries([".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"].map((end) => [end, JAVASCRIPT])),
  ".go": GO,
  ".rs": RUST,
};
/** What looks like a method and is none. */
const KEYWORDS = new Set(["if", "for", "while", "switch", "catch", "with", "function", "return"]);

/**
 * The names of functions, methods and classes that a text defines, each once, in the order of their patterns: Python, JavaScript and
 * TypeScript, Go, Rust; of other files none. By the look of lines, not by a parser: good enough to find a run by, and no more.
 */
export function functionsIn(path: string, text: string): string[] {
  const patterns = BY_ENDING[extname(path)] ?? [];
  const names = patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name]) => name ?? ""));
  return [...new Set(names)].filter((name) => !KEYWORDS.has(name));
}
