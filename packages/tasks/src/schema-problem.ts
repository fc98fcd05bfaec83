import type { z } from "zod";
import { didYouMean } from "./did-you-mean.ts";

type Issue = z.core.$ZodIssue;
export type Problem = { field: string; message: string };

/** The first thing that a schema refused, by the name of its field, such as `testFiles["../x.py"]`. */
export function schemaProblem(error: z.ZodError, knownFields: readonly string[]): Problem {
  const { path, issue } = innermost(error.issues[0]!, []);
  if (issue.code === "unrecognized_keys") {
    const key = issue.keys[0]!;
    const hint = path.length === 0 ? didYouMean(key, knownFields) : "";
    return { field: fieldName([...path, key]), message: `is no field that is known here${hint}` };
  }
  return { field: fieldName(path), message: issue.message };
}

/** Goes into the form of a union that was meant: of those for such a value the one with the fewest problems, if one has. */
function innermost(issue: Issue, parents: readonly PropertyKey[]): { path: PropertyKey[]; issue: Issue } {
  const path = [...parents, ...issue.path];
  if (issue.code !== "invalid_union") return { path, issue };
  const forms = issue.errors.filter((form) => !form.some(isWrongKind)).toSorted((a, b) => a.length - b.length);
  const [meant, next] = forms;
  if (meant?.[0] !== undefined && meant.length !== next?.length) return innermost(meant[0], path);
  const expected = forms.length > 0 ? forms.map(missing) : issue.errors.flatMap((form) => form.map(kind));
  return { path, issue: { ...issue, message: `expected ${listed([...new Set(expected)])}` } };
}

/** The fields that a form asks for and the value lacks. */
function missing(form: readonly Issue[]): string {
  return form.flatMap((issue) => (issue.code === "invalid_type" ? [issue.path.join(".")] : [])).join(" and ");
}

function kind(issue: Issue): string {
  return "expected" in issue ? String(issue.expected) : issue.message;
}

function listed(names: readonly string[]): string {
  return new Intl.ListFormat("en", { type: "disjunction" }).format(names);
}

/** Whether the value is of another type altogether than this form of the union. */
function isWrongKind(issue: Issue): boolean {
  return issue.code === "invalid_type" && issue.path.length === 0;
}

function fieldName(path: readonly PropertyKey[]): string {
  const name = path
    .map((part) => (typeof part === "string" && /^[A-Za-z_]\w*$/.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`))
    .join("");
  return name.replace(/^\./, "") || "task file";
}
