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
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
];

export const REDACTED = "[redacted]";

/** Shorter values are left alone: they would be found in any text. */
const MIN_SECRET = 8;

/** Takes out what is shaped like a secret, and every one of `secrets` by its value. */
export function createRedactor(secrets: readonly string[] = []): Redact {
  const values = secrets.filter((secret) => secret.length >= MIN_SECRET).sort((a, b) => b.length - a.length);
  return (text) => {
    const named = values.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);
    return SHAPES.reduce((rest, shape) => rest.replace(shape, REDACTED), named);
  };
}

/** A JSON value with every string and key in it redacted. */
export function redactJson<T extends Json>(value: T, redact: Redact): T {
  return mapStrings(value, redact) as T;
}
