import type { Json } from "./contracts/json.ts";
import { mapStrings } from "./json-value.ts";

/** Takes secrets out of a text. */
export type Redact = (text: string) => string;

/** Shapes of keys that never enter a log. Each is anchored so that words such as `ASIAPACIFIC` are left alone. */
const SHAPES: readonly RegExp[] = [
  /\bsk-[A-Za-z0-9_-]{20,}/g,
  /\bAIza[0-9A-Za-z_-]{35}\b/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\bgh[pousr]_[A-Za-z0-9]{30,}\b/g,
  /\bgithub_pat_[A-Za-z0-9_]{30,}\b/g,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/g,
  /(?<=\bx-api-key["']?\s*[:=]\s*["']?)[A-Za-z0-9_-]{16,}/gi,
  /(?<=\bBearer\s+)[A-Za-z0-9._~+/-]{20,}=*/g,
  /(?<=[?&](?:api_?key|key|access_token|token)=)[A-Za-z0-9._~-]{16,}/gi,
  // also one of which only the beginning was kept
  /-----BEGIN [A-Z ]*PRIVATE KEY-----(?:[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----|[A-Za-z0-9+/=\s]{40,})/g,
  named(
    String.raw`(?:(?:api|secret|access|private)[_-]?key|client[_-]?secret|(?:auth|access|refresh)[_-]?token)["']?\s*[:=]\s*`,
    "gi",
  ),
  named(String.raw`\b[A-Z][A-Z0-9_]*_(?:KEY|TOKEN|SECRET)=`, "g"),
];

/**
 * What stands behind a name that says that it is a secret, in code, a configuration or an environment: letters and digits, since words
 * and numbers alone, and paths and calls, are code.
 */
function named(name: string, flags: string): RegExp {
  const value = String.raw`(?=[A-Za-z_/+=-]*\d)(?=[\d_/+=-]*[A-Za-z])[A-Za-z0-9_/+=-]{16,}(?![\w.([])`;
  return new RegExp(`(?<=${name}["']?)${value}`, flags);
}

/** What no text is without that holds one of {@link SHAPES}: in most texts none has to be looked for. */
const HINT =
  /sk-|AIza|A[KS]IA|gh[pousr]_|github_pat_|xox[abprs]-|(?:(?:api|secret|access|private)[_-]?key|(?:auth|access|refresh)[_-]?token|client[_-]?secret)["']?\s*[:=]|(?:[?&]|_)(?:key|token|secret)=|Bearer|-----BEGIN/i;

/** Names of fields whose text is a secret whatever it looks like. */
const SECRET_FIELD =
  /^(?:.*[_-])?(?:api[_-]?key|secret[_-]?key|secret[_-]?access[_-]?key|private[_-]?key|client[_-]?secret|(?:auth|access|refresh)[_-]?token|authorization|passw(?:or)?d)$|ApiKey$/i;

/** What stands in place of a secret. */
export const REDACTED = "[redacted-secret]";

/** Shorter values are left alone: they would be found in any text. None of {@link SHAPES} fits a shorter one either. */
const MIN_SECRET = 8;

/**
 * Takes out what is shaped like a secret, and every one of `secrets` by its value, also as it stands in JSON text. All are
 * looked for in the text as it was, so that one which overlaps another leaves nothing of either.
 */
export function createRedactor(secrets: readonly string[] = []): Redact {
  const values = valuesOf(secrets);
  return (text) => {
    if (text.length < MIN_SECRET) return text; // most are: keys of objects, ids, kinds
    if (!HINT.test(text) && !values.some((value) => text.includes(value))) return text;
    const found = [
      ...values.flatMap((value) => placesOf(value, text)),
      ...SHAPES.flatMap((shape) => matchesOf(shape, text)),
    ];
    return found.length === 0
      ? text
      : replaced(
          text,
          found.sort((a, b) => a.start - b.start),
        );
  };
}

/** Whether bytes, such as those of a file, hold one of `secrets`, by the same values as {@link createRedactor} takes out. */
export function holdsSecret(bytes: Uint8Array, secrets: readonly string[]): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return valuesOf(secrets).some((value) => buffer.includes(value));
}

function valuesOf(secrets: readonly string[]): string[] {
  const long = secrets.filter((secret) => secret.length >= MIN_SECRET && !REDACTED.includes(secret));
  return [...new Set(long.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]))];
}

type Place = { start: number; end: number };

function placesOf(value: string, text: string): Place[] {
  const places: Place[] = [];
  for (let start = text.indexOf(value); start !== -1; start = text.indexOf(value, start + 1)) {
    places.push({ start, end: start + value.length });
  }
  return places;
}

function matchesOf(shape: RegExp, text: string): Place[] {
  return [...text.matchAll(shape)].map((match) => ({ start: match.index, end: match.index + match[0].length }));
}

/** The text with a mark for each stretch of places that touch. */
function replaced(text: string, places: readonly Place[]): string {
  let result = "";
  let end = 0;
  for (const place of places) {
    if (place.start > end || result === "") result += text.slice(end, place.start) + REDACTED;
    end = Math.max(end, place.end);
  }
  return result + text.slice(end);
}

/**
 * A JSON value, or one of our types that are JSON, with every string and key in it redacted. The text of a field that is named as a
 * secret, such as `api_key`, `authorization` or `password`, goes whatever it looks like.
 */
export function redactJson<T extends Json | object>(value: T, redact: Redact): T {
  return mapStrings(value as Json, (text, field) =>
    field !== undefined && text !== "" && SECRET_FIELD.test(field) ? REDACTED : redact(text),
  ) as T;
}
