import type { z } from "zod";
import type { Schema } from "./contracts/json.ts";
import { didYouMean } from "./did-you-mean.ts";
import { InvalidInputError } from "./errors.ts";

type Issue = z.core.$ZodIssue;

export type CheckedInput = {
  /** What the value is called where no field of it is at fault, such as `task`. */
  root: string;
  /** Goes before the names of its fields, such as `limits`. Default: nothing. */
  prefix?: string;
  /** Goes behind the message, such as the file that the value was read from. */
  where?: string;
};

/** The value as the schema accepts it. Throws an {@link InvalidInputError} for the first field that it refuses. */
export function checkInput<T>(schema: Schema<T>, value: unknown, { root, prefix = "", where = "" }: CheckedInput): T {
  const { data, error } = schema.safeParse(value);
  if (!error) return data;
  const { path, message } = firstProblem(error, fieldsOf(schema));
  const field = `${prefix}${fieldName(path)}`.replace(/^\./, "") || root;
  throw new InvalidInputError(field, `${message}${where}`, { cause: error });
}

function firstProblem(error: z.ZodError, known: readonly string[]): { path: PropertyKey[]; message: string } {
  const { path, issue } = innermost(error.issues[0]!, []);
  if (issue.code !== "unrecognized_keys") return { path, message: inWords(issue.message) };
  const key = issue.keys[0]!;
  const hint = path.length === 0 ? didYouMean(key, known) : "";
  return { path: [...path, key], message: `is no field that is known here${hint}` };
}

/** zod's word on a wrong type, as the other messages here are put. */
function inWords(message: string): string {
  return message
    .replace(/^Invalid input: expected (.*), received undefined$/, "is missing; it has to be of type $1")
    .replace(/^Invalid input: expected (.*), received (.*)$/, "has to be of type $1, and is of type $2");
}

function fieldsOf(schema: object): string[] {
  return "shape" in schema ? Object.keys(schema.shape as object) : [];
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

/** A path as it would be written, such as `.testFiles["../x.py"]`. */
function fieldName(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === "string" && /^[A-Za-z_]\w*$/.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`))
    .join("");
}
