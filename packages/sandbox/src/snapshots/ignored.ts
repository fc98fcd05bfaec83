/**
 * What is never part of a snapshot, and hence never of a patch: it is made from the sources, or belongs to another tool.
 * A pattern is the whole name of a file or folder at any depth, or with a leading `*` the end of one.
 */
export const IGNORED: readonly { pattern: string; why: string }[] = [
  { pattern: ".git", why: "history and hooks: a snapshot is files, and their history could hold the solution" },
  { pattern: "__pycache__", why: "bytecode of whatever ran last; a stale or forged one runs in place of its source" },
  { pattern: "*.pyc", why: "bytecode beside its source, for the same reason" },
  {
    pattern: ".pytest_cache",
    why: "what the last test run remembers; it changes which tests the next one begins with",
  },
  { pattern: ".swarm", why: "Swarm's own: the lock of a directory that a run works for, and what else is kept there" },
  { pattern: "node_modules", why: "installed, not written; thousands of files that belong to the environment" },
];

/** Whether a workspace path, or a folder that it lies in, is {@link IGNORED}. */
export function isIgnored(path: string): boolean {
  return path.split("/").some((name) => IGNORED.some(({ pattern }) => matches(name, pattern)));
}

/** Also by the names that other file systems take for it: git refuses every patch with one of them. */
const GIT_FOLDER = /^(?:\.git|git~1)[. ]*(?::.*)?$/is;

function matches(name: string, pattern: string): boolean {
  if (pattern === ".git") return GIT_FOLDER.test(name);
  return pattern.startsWith("*") ? name.endsWith(pattern.slice(1)) : name === pattern;
}
