import type { Files } from "../contracts/files.ts";
import type { Task } from "../contracts/task.ts";
import { InvalidInputError } from "../errors.ts";
import { holdsSecret, redactJson } from "../redact.ts";
import type { Ports } from "./run-options.ts";

/**
 * The task as a run may keep it. Its words are redacted; its files cannot be, since that would change the code, so one that
 * holds a named secret is refused with an {@link InvalidInputError}. Files that a source only points to are the sandbox's to
 * look at, when it takes them in.
 */
export function withoutSecrets(task: Task, { secrets, redact }: Pick<Ports, "secrets" | "redact">): Task {
  const { source, testFiles, hiddenTestFiles } = task;
  const kept = { "source.files": "files" in source ? source.files : {}, testFiles, hiddenTestFiles };
  for (const [field, files] of Object.entries(kept)) {
    const path = firstWithSecret(files ?? {}, secrets);
    if (path !== null) throw new InvalidInputError(`task.${field}[${JSON.stringify(path)}]`, SECRET_IN_FILE);
  }
  const words = { prompt: redact(task.prompt), ...(task.oracle && { oracle: redactJson(task.oracle, redact) }) };
  return { ...task, ...words };
}

const SECRET_IN_FILE =
  "holds a value that is named as a secret of the run, which keeps its files: take it out, or name no such secret";

function firstWithSecret(files: Files, secrets: readonly string[]): string | null {
  const bytesOf = (content: Files[string]) =>
    typeof content === "string" ? Buffer.from(content) : Buffer.from(content.base64, "base64");
  const found = Object.entries(files).find(([, content]) => holdsSecret(bytesOf(content), secrets));
  return found?.[0] ?? null;
}
