/** A kind of file that could steer or replace the test runner. */
export type ProtectedPath = { match: RegExp; what: string };

/**
 * What a candidate may not bring into the clean room. A file of one of these kinds that the candidate added is dropped, and
 * one of the starter that it changed is put back; the starter's own and those of a suite stay.
 */
export const PROTECTED_PATHS: readonly ProtectedPath[] = [
  { match: /(?:^|\/)conftest\.py$/, what: "hooks of the test runner" },
  { match: /(?:^|\/)(?:\.?pytest\.(?:ini|toml)|tox\.ini|setup\.cfg)$/, what: "configuration of the test runner" },
  {
    match:
      /(?:^|\/)(?:(?:vite|vitest|jest|babel)\.(?:config|workspace|projects)\.[^/]+|\.mocharc(?:\.[^/]+)?|\.npmrc)$/,
    what: "configuration of the test runner",
  },
  { match: /(?:^|\/)(?:\.cargo\/config(?:\.toml)?|rust-toolchain(?:\.toml)?)$/, what: "configuration of the compiler" },
  { match: /(?:^|\/)(?:sitecustomize|usercustomize)\.py$|\.pth$/, what: "code that runs when the interpreter starts" },
  { match: /^(?:pytest|_pytest|pluggy|iniconfig)(?:\.py$|\/)/, what: "a module in place of the test runner's own" },
  {
    match: /(?:^|\/)(?:(?:vitest|vite|jest)\.config\.[cm]?[jt]s(?:on)?|\.mocharc[^/]*)$/,
    what: "configuration of the test runner",
  },
  { match: /(?:^|\/)\.npmrc$/, what: "configuration of the package manager" },
  { match: /^(?:\.github|\.gitlab)\/|^\.gitlab-ci\.yml$/, what: "the project's own checks" },
  { match: /(?:^|\/)node_modules\//, what: "packages in place of the installed ones" },
  { match: /(?:^|\/)__pycache__\/|\.pyc$/, what: "compiled code that may not be what its source says" },
];

/** Files that steer a project's own test command and not the oracle's, so that they may change. */
const STEERING = /(?:^|\/)(?:package\.json|pyproject\.toml|Makefile|\.env(?:\.[^/]*)?)$/;

/** Whether a file can make a project's own test command say something else. */
export function steersTests(path: string): boolean {
  return STEERING.test(path);
}

/** What a task says of paths, each a file or a folder that ends in `/`. */
export type PathRules = { protect?: readonly string[]; allow?: readonly string[] };

/** What a protected path is, or null for one that the candidate may change. */
export function protectedPath(path: string, { protect = [], allow = [] }: PathRules = {}): string | null {
  const isIn = (rules: readonly string[]) =>
    rules.some((rule) => (rule.endsWith("/") ? path.startsWith(rule) : path === rule));
  if (isIn(protect)) return "what the task protects";
  if (isIn(allow)) return null;
  return PROTECTED_PATHS.find(({ match }) => match.test(path))?.what ?? null;
}
