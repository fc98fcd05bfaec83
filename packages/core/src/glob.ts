/**
 * Whether a path fits a glob: `*` and `?` within a folder's name, `**` over folders, `{a,b}`. Names that begin with a dot are
 * names like any other: what may be written must not depend on them.
 */
export function matchesGlob(path: string, glob: string): boolean {
  return expressionOf(glob).test(path);
}

const TOKENS = /\*\*\/|\*\*|\*|\?|\{[^{}]*\}|[^*?{]+|[{]/g;

function expressionOf(glob: string): RegExp {
  return new RegExp(`^(?:${sourceOf(glob)})$`, "s");
}

function sourceOf(glob: string): string {
  return (glob.match(TOKENS) ?? [])
    .map((token) => {
      if (token === "**/") return "(?:.*/)?";
      if (token === "**") return ".*";
      if (token === "*") return "[^/]*";
      if (token === "?") return "[^/]";
      if (token.startsWith("{") && token.endsWith("}"))
        return `(?:${token.slice(1, -1).split(",").map(sourceOf).join("|")})`;
      return token.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
    })
    .join("");
}
